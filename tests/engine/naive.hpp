// The naive evaluation that the engine is compared with: for one output, its terms gathered by plain loops over the
// index sets of the definition, padding included, and handed to numeric::dot.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/contraction.hpp"
#include "numeric/sums.hpp"

namespace fusecheck::engine::naive {

struct Terms {
  std::vector<float> a, b;
};

// Channel numbers and taps in K order: all channels at once (block 1 keeps c outermost), or blocks of c0.
template <class Visit>
void visit_taps(std::int64_t channels, const Conv2dGeometry& g, KOrder order, std::int64_t c0, Visit visit) {
  if (order == KOrder::c_kh_kw) {
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t i = 0; i < g.kh; ++i)
        for (std::int64_t j = 0; j < g.kw; ++j) visit(c, i, j);
    return;
  }
  for (std::int64_t c1 = 0; c1 * c0 < channels; ++c1)
    for (std::int64_t i = 0; i < g.kh; ++i)
      for (std::int64_t j = 0; j < g.kw; ++j)
        for (std::int64_t c = c1 * c0; c < std::min(channels, (c1 + 1) * c0); ++c) visit(c, i, j);
}

inline Terms gather(const Contraction& problem, const std::vector<float>& a, const std::vector<float>& b,
                    std::int64_t output, const Arithmetic& arithmetic) {
  const Conv2dGeometry& g = problem.geometry;
  const std::int64_t cg = g.c / g.groups, og = g.oc / g.groups;
  const std::vector<std::int64_t> at = index_of(output, problem.output_shape());
  Terms terms;
  const auto add = [&](bool inside, std::int64_t a_at, std::int64_t b_at) {
    const float w = b[static_cast<std::size_t>(b_at)];
    terms.a.push_back(inside ? a[static_cast<std::size_t>(a_at)] : 0.0F);
    terms.b.push_back(!inside && !std::isfinite(w) ? 0.0F : w);
  };
  if (problem.direction == Direction::forward) {
    const std::int64_t group = at[1] / og;
    visit_taps(cg, g, arithmetic.k_order, arithmetic.c0, [&](std::int64_t c, std::int64_t i, std::int64_t j) {
      const std::int64_t y = at[2] * g.stride_h - g.pad_top + i * g.dilation_h;
      const std::int64_t x = at[3] * g.stride_w - g.pad_left + j * g.dilation_w;
      add(y >= 0 && y < g.h && x >= 0 && x < g.w, ((at[0] * g.c + group * cg + c) * g.h + y) * g.w + x,
          ((at[1] * cg + c) * g.kh + i) * g.kw + j);
    });
  } else if (problem.direction == Direction::data_gradient) {
    const std::int64_t group = at[1] / cg;
    visit_taps(og, g, arithmetic.k_order, arithmetic.c0, [&](std::int64_t o, std::int64_t i, std::int64_t j) {
      // y[oh] uses x[oh·stride - pad + i·dilation]: which oh has used this pixel through tap i, if any.
      std::int64_t oh = 0, ow = 0;
      while (oh < g.oh() && oh * g.stride_h - g.pad_top + i * g.dilation_h != at[2]) ++oh;
      while (ow < g.ow() && ow * g.stride_w - g.pad_left + j * g.dilation_w != at[3]) ++ow;
      const std::int64_t oc = group * og + o;
      add(oh < g.oh() && ow < g.ow(), ((at[0] * g.oc + oc) * g.oh() + oh) * g.ow() + ow,
          ((oc * cg + at[1] % cg) * g.kh + i) * g.kw + j);
    });
  } else {
    const std::int64_t group = at[0] / og;
    for (std::int64_t n = 0; n < g.n; ++n)
      for (std::int64_t oh = 0; oh < g.oh(); ++oh)
        for (std::int64_t ow = 0; ow < g.ow(); ++ow) {
          const std::int64_t y = oh * g.stride_h - g.pad_top + at[2] * g.dilation_h;
          const std::int64_t x = ow * g.stride_w - g.pad_left + at[3] * g.dilation_w;
          add(y >= 0 && y < g.h && x >= 0 && x < g.w, ((n * g.c + group * cg + at[1]) * g.h + y) * g.w + x,
              ((n * g.oc + at[0]) * g.oh() + oh) * g.ow() + ow);
        }
  }
  return terms;
}

// The bias that an output starts from.
inline float bias_of(const Contraction& problem, const std::vector<float>& bias, std::int64_t output) {
  if (bias.empty()) return 0;
  return bias[static_cast<std::size_t>(index_of(output, problem.output_shape())[1])];
}

inline float value(const Contraction& problem, const std::vector<float>& a, const std::vector<float>& b,
                   const std::vector<float>& bias, std::int64_t output, const Arithmetic& arithmetic) {
  Terms terms = gather(problem, a, b, output, arithmetic);
  const float c = bias_of(problem, bias, output);
  if (arithmetic.accumulate == DType::f32) return numeric::dot(terms.a, terms.b, c, arithmetic.sum);
  if (arithmetic.sum.kind == SumKind::reversed) {
    std::ranges::reverse(terms.a);
    std::ranges::reverse(terms.b);
  }
  return numeric::dot_f16(terms.a, terms.b, c);
}

}  // namespace fusecheck::engine::naive
