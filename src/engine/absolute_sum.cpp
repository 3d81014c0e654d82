#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/by_definition.hpp"
#include "engine/lowering.hpp"
#include "engine/packed.hpp"
#include "engine/simd.hpp"
#include "engine/terms.hpp"

namespace fusecheck::engine {

namespace {

std::vector<float> magnitudes(std::span<const float> x) {
  std::vector<float> m(x.size());
  std::ranges::transform(x, m.begin(), [](float value) { return std::fabs(value); });
  return m;
}

// The smallest value that is not 0, infinity if there is none. Patterns of magnitudes are in their order, and one less
// makes 0 the largest of all.
float smallest(std::span<const float> magnitude) {
  std::uint32_t least = std::bit_cast<std::uint32_t>(std::numeric_limits<float>::infinity()) - 1;
  for (const float value : magnitude) least = std::min(least, std::bit_cast<std::uint32_t>(value) - 1);
  return std::bit_cast<float>(least + 1);
}

// x >= 0 to f32, never below x.
float rounded_up(double x) {
  const float nearest = static_cast<float>(x);
  if (!(static_cast<double>(nearest) < x)) return nearest;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(nearest) + 1);
}

// A sum of n non-negative products of f32 values, which f64 holds exactly, made an upper bound: n additions of f64 lose
// at most n·2^-53 of the sum (Jeannerod and Rump, SIAM J. Matrix Anal. Appl. 34, 2013).
float bound_from_f64(double sum, std::size_t n) {
  return rounded_up(sum * (1 + (static_cast<double>(n) + 2) * 0x1p-52));
}

float bound_of_product(std::span<const float> a, std::span<const float> b, float c) {
  double sum = static_cast<double>(c);
  for (std::size_t k = 0; k < a.size(); ++k) sum += static_cast<double>(a[k]) * static_cast<double>(b[k]);
  return bound_from_f64(sum, a.size());
}

bool all_finite(std::span<const float> x) {
  return std::ranges::all_of(x, [](float value) { return std::isfinite(value); });
}

// Whether so few elements are not 0 that their terms alone cost less than the whole sum: a term by itself costs about
// a hundred of the kernel's (AVX-512, measured), which share their work among threads besides.
bool few_count(std::span<const float> x) {
  constexpr std::ptrdiff_t most = 512;
  const auto zeros = std::ranges::count(x, 0.0F);
  return most * (std::ssize(x) - zeros) < std::ssize(x);
}

// The bound where operand `sparse` is 0 at most places and the other one, `dense`, is finite: from the elements that
// are not.
std::vector<float> sum_of_few(const Contraction& problem, Role sparse_role, std::span<const float> sparse,
                              Role dense_role, std::span<const float> dense, std::span<const float> bias) {
  const Role out = roles_of(problem.direction).out;
  const Shape shape = problem.output_shape();
  std::vector<double> sums(static_cast<std::size_t>(element_count(shape)), 0.0);
  const auto plane = static_cast<std::size_t>(shape[2] * shape[3]);
  for (std::size_t i = 0; i < sums.size() && !bias.empty(); ++i)
    sums[i] = static_cast<double>(bias[i / plane % bias.size()]);
  for (std::size_t i = 0; i < sparse.size(); ++i) {
    if (sparse[i] == 0) continue;
    const double own = static_cast<double>(sparse[i]);
    for_terms_with(problem.geometry, sparse_role, static_cast<std::int64_t>(i), [&](const Term& term) {
      const double other = static_cast<double>(dense[static_cast<std::size_t>(at(term, dense_role))]);
      sums[static_cast<std::size_t>(at(term, out))] += own * other;
    });
  }
  std::vector<float> bounds(sums.size());
  const auto terms = static_cast<std::size_t>(problem.terms());
  std::ranges::transform(sums, bounds.begin(), [&](double sum) { return bound_from_f64(sum, terms); });
  return bounds;
}

// The rows that have an output below `limit`.
RowLists rows_below(const Lowering& l, const std::vector<float>& out, float limit) {
  RowLists lists(static_cast<std::size_t>(l.groups));
  for (std::int64_t g = 0; g < l.groups; ++g) {
    for (std::int64_t row = 0; row < l.rows(); ++row) {
      const std::int64_t first = g * l.out_step.group + l.out_row[static_cast<std::size_t>(row)];
      bool below = false;
      for (std::int64_t n = 0; n < l.columns; ++n) {
        below = below || out[static_cast<std::size_t>(first + n * l.out_step.column)] < limit;
      }
      if (below) lists[static_cast<std::size_t>(g)].push_back(row);
    }
  }
  return lists;
}

}  // namespace

// The f32 pass: blocks of chains from 0, added in order. At most n = block + blocks roundings of relative size 2^-24
// meet any term, so S(1 - n·2^-24) <= sum <= S(1 + n·2^-24) (Rump, BIT 52, 2012: no higher-order terms). Times 1 + (n +
// 4)·2^-24, rounded to nearest, it is at least S, by a margin of 2^-24·S for n < 2^12, and at most S(1 + (n +
// 4)·2^-23). Each product that underflows may lose another 2^-150; where the sum is so small that the margin does not
// cover them all, it is formed again in f64.
std::vector<float> absolute_sum(const Contraction& problem, std::span<const float> a, std::span<const float> b,
                                std::span<const float> bias, const Execution& execution) {
  const std::vector<float> x = magnitudes(a), w = magnitudes(b), s = magnitudes(bias);
  const Roles roles = roles_of(problem.direction);
  if (few_count(x) && all_finite(w)) return sum_of_few(problem, roles.a, x, roles.b, w, s);
  if (few_count(w) && all_finite(x)) return sum_of_few(problem, roles.b, w, roles.a, x, s);
  const Lowering l = lower(problem, KOrder::c_kh_kw, 1);
  const RowLists rows = all_rows(l);
  std::vector<float> out(static_cast<std::size_t>(element_count(problem.output_shape())));
  const auto store = [&](std::int64_t position, float value) { out[static_cast<std::size_t>(position)] = value; };
  const auto by_definition = [&](const RowLists& which_rows, WhichRows which) {
    evaluate_by_definition<float>(l, which_rows, which, x, w, s, &bound_of_product, execution.threads, store);
  };
  if (l.terms() == 0) {
    by_definition(rows, WhichRows::all);
    return out;
  }
  const Packed<float> packed =
      pack<float>(l, rows, absolute_schedule(kernels_for(execution.simd)), x, w, s, execution.threads);
  AlignedBuffer<float> c(packed.c_size());
  run(packed, execution.threads, c.data());
  const double block = static_cast<double>(std::min(packed.schedule.block, packed.terms));
  const double blocks = static_cast<double>((packed.terms + packed.schedule.block - 1) / packed.schedule.block);
  const float factor = rounded_up(1 + (block + blocks + 4) * 0x1p-24);
  float* const sums = c.data();
  for (std::int64_t i = 0; i < packed.c_size(); ++i) sums[i] *= factor;
  unpack(l, rows, packed, c.data(), store);
  if (static_cast<double>(smallest(x)) * static_cast<double>(smallest(w)) < 0x1p-126) {
    by_definition(rows_below(l, out, static_cast<float>(packed.terms) * 0x1p-125F), WhichRows::all);
  }
  if (!all_finite(w)) {
    by_definition(rows, WhichRows::with_padding);
  }
  return out;
}

}  // namespace fusecheck::engine
