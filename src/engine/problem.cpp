// Shapes and single terms of a contraction, and the choice of sampled outputs.
#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/contraction.hpp"
#include "engine/lowering.hpp"
#include "fusecheck/philox.hpp"

namespace fusecheck::engine {

namespace {

Shape x_shape(const Conv2dGeometry& g) { return {g.n, g.c, g.h, g.w}; }
Shape w_shape(const Conv2dGeometry& g) { return {g.oc, g.c / g.groups, g.kh, g.kw}; }
Shape y_shape(const Conv2dGeometry& g) { return {g.n, g.oc, g.oh(), g.ow()}; }

// A position along one axis of y that meets position `x` of the input through tap k, or -1.
std::int64_t output_position(std::int64_t x, std::int64_t pad, std::int64_t tap, std::int64_t stride,
                             std::int64_t size) {
  const std::int64_t shifted = x + pad - tap;
  if (shifted < 0 || shifted % stride != 0 || shifted / stride >= size) return -1;
  return shifted / stride;
}

using Operands = std::pair<std::span<const float>, std::span<const float>>;

double product(const Operands& from, std::int64_t a, std::int64_t b) {
  return static_cast<double>(from.first[static_cast<std::size_t>(a)]) *
         static_cast<double>(from.second[static_cast<std::size_t>(b)]);
}

std::vector<double> forward_terms(const Conv2dGeometry& g, const Operands& from, std::int64_t output) {
  std::vector<double> terms;
  const std::vector<std::int64_t> at = index_of(output, y_shape(g));
  const std::int64_t channels = g.c / g.groups, first = at[1] / (g.oc / g.groups) * channels;
  for (std::int64_t c = 0; c < channels; ++c) {
    for (std::int64_t i = 0; i < g.kh; ++i) {
      for (std::int64_t j = 0; j < g.kw; ++j) {
        const std::int64_t y = at[2] * g.stride_h + i * g.dilation_h - g.pad_top;
        const std::int64_t x = at[3] * g.stride_w + j * g.dilation_w - g.pad_left;
        if (y < 0 || y >= g.h || x < 0 || x >= g.w) continue;
        terms.push_back(product(from, ((at[0] * g.c + first + c) * g.h + y) * g.w + x,
                                ((at[1] * channels + c) * g.kh + i) * g.kw + j));
      }
    }
  }
  return terms;
}

std::vector<double> data_gradient_terms(const Conv2dGeometry& g, const Operands& from, std::int64_t output) {
  std::vector<double> terms;
  const std::vector<std::int64_t> at = index_of(output, x_shape(g));
  const std::int64_t channels = g.c / g.groups, out_channels = g.oc / g.groups, group = at[1] / channels;
  for (std::int64_t oc = group * out_channels; oc < (group + 1) * out_channels; ++oc) {
    for (std::int64_t i = 0; i < g.kh; ++i) {
      for (std::int64_t j = 0; j < g.kw; ++j) {
        const std::int64_t y = output_position(at[2], g.pad_top, i * g.dilation_h, g.stride_h, g.oh());
        const std::int64_t x = output_position(at[3], g.pad_left, j * g.dilation_w, g.stride_w, g.ow());
        if (y < 0 || x < 0) continue;
        terms.push_back(product(from, ((at[0] * g.oc + oc) * g.oh() + y) * g.ow() + x,
                                ((oc * channels + at[1] % channels) * g.kh + i) * g.kw + j));
      }
    }
  }
  return terms;
}

std::vector<double> weight_gradient_terms(const Conv2dGeometry& g, const Operands& from, std::int64_t output) {
  std::vector<double> terms;
  const std::vector<std::int64_t> at = index_of(output, w_shape(g));
  const std::int64_t c = at[0] / (g.oc / g.groups) * (g.c / g.groups) + at[1];
  for (std::int64_t n = 0; n < g.n; ++n) {
    for (std::int64_t oh = 0; oh < g.oh(); ++oh) {
      for (std::int64_t ow = 0; ow < g.ow(); ++ow) {
        const std::int64_t y = oh * g.stride_h + at[2] * g.dilation_h - g.pad_top;
        const std::int64_t x = ow * g.stride_w + at[3] * g.dilation_w - g.pad_left;
        if (y < 0 || y >= g.h || x < 0 || x >= g.w) continue;
        terms.push_back(
            product(from, ((n * g.c + c) * g.h + y) * g.w + x, ((n * g.oc + at[0]) * g.oh() + oh) * g.ow() + ow));
      }
    }
  }
  return terms;
}

}  // namespace

Shape Contraction::a_shape() const {
  return direction == Direction::data_gradient ? y_shape(geometry) : x_shape(geometry);
}
Shape Contraction::b_shape() const {
  return direction == Direction::weight_gradient ? y_shape(geometry) : w_shape(geometry);
}
Shape Contraction::output_shape() const {
  if (direction == Direction::forward) return y_shape(geometry);
  return direction == Direction::data_gradient ? x_shape(geometry) : w_shape(geometry);
}

std::int64_t Contraction::terms() const {
  const Conv2dGeometry& g = geometry;
  if (direction == Direction::forward) return g.c / g.groups * g.kh * g.kw;
  if (direction == Direction::data_gradient) return g.oc / g.groups * g.kh * g.kw;
  return g.n * g.oh() * g.ow();
}

std::vector<double> terms_of(const Contraction& problem, std::span<const float> a, std::span<const float> b,
                             std::int64_t output) {
  const Operands from{a, b};
  if (problem.direction == Direction::forward) return forward_terms(problem.geometry, from, output);
  if (problem.direction == Direction::data_gradient) return data_gradient_terms(problem.geometry, from, output);
  return weight_gradient_terms(problem.geometry, from, output);
}

namespace {

Sample all_outputs(const ProductSize& size) {
  Sample sample;
  sample.outputs.resize(static_cast<std::size_t>(size.groups * size.rows * size.columns));
  std::iota(sample.outputs.begin(), sample.outputs.end(), std::int64_t{0});
  std::vector<std::int64_t> rows(static_cast<std::size_t>(size.rows));
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  sample.rows.assign(static_cast<std::size_t>(size.groups), rows);
  return sample;
}

}  // namespace

Sample choose_outputs(const Contraction& problem, std::int64_t most, std::uint64_t seed) {
  const ProductSize size = product_size(problem);
  const std::int64_t rows = size.groups * size.rows;
  const std::int64_t wanted = std::clamp<std::int64_t>(most / size.columns, 1, rows);
  if (wanted == rows) return all_outputs(size);
  const Lowering l = lower(problem, KOrder::c_kh_kw, 1);
  const Philox philox(seed, "contraction/rows");
  Sample sample;
  sample.rows.resize(static_cast<std::size_t>(size.groups));
  for (std::int64_t i = 0; i < wanted; ++i) {
    // One row from each of `wanted` equal parts of all rows of all groups.
    const std::int64_t low = rows * i / wanted, high = rows * (i + 1) / wanted - 1;
    const std::int64_t chosen = philox.integer(static_cast<std::uint64_t>(i), low, high);
    const std::int64_t group = chosen / size.rows, row = chosen % size.rows;
    sample.rows[static_cast<std::size_t>(group)].push_back(row);
    const std::int64_t position = group * l.out_step.group + l.out_row[static_cast<std::size_t>(row)];
    for (std::int64_t n = 0; n < size.columns; ++n) sample.outputs.push_back(position + n * l.out_step.column);
  }
  std::ranges::sort(sample.outputs);
  return sample;
}

}  // namespace fusecheck::engine
