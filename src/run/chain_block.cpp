#include "run/chain_block.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/simd.hpp"
#include "run/real_arithmetic.hpp"

namespace fusecheck::run {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

engine::Interval interval_at(const Operand& x, std::int64_t i) {
  const std::int64_t at = i - x.first;
  return x.exact ? engine::Interval{x.v + at, x.v + at, x.v + at} : engine::Interval{x.v + at, x.low + at, x.high + at};
}

bool any_nan(const double* x, std::int64_t n) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < n; ++i) count += x[i] != x[i] ? 1 : 0;
  return count != 0;
}

void note_widths(const Step& step, Range range, const Block& out, Findings& found) {
  std::int64_t wide = 0;
  for (std::int64_t i = 0; !found.wide && i < range.length; ++i) {
    wide += out.low[i] != out.high[i] && out.low[i] == out.low[i] ? 1 : 0;
  }
  found.wide = found.wide || wide != 0;
  const auto every = static_cast<std::int64_t>(sampled_every(step.size));
  for (std::int64_t i = (range.first + every - 1) / every * every; i < range.first + range.length; i += every) {
    add_width(out.low[i - range.first], out.high[i - range.first], found.all_widths, found.added_widths);
  }
}

template <class Function>
void map(const double* x, double* y, std::int64_t n, Function function) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = function(x[i]);
}

template <class Function>
void map_all(const Operand& a, Range range, Block& out, Function function) {
  const std::int64_t at = range.first - a.first;
  out.exact = a.exact;
  map(a.v + at, out.v, range.length, function);
  if (a.exact) return;
  map(a.low + at, out.low, range.length, function);
  map(a.high + at, out.high, range.length, function);
}

}  // namespace

void arithmetic_block(const Step& step, bool intervals, Range range, const Operand& a, const Operand& b, Block& out,
                      Findings& found) {
  const engine::ElementwiseTable& table = engine::kernels_for(step.simd).elementwise;
  if (!intervals || (a.exact && b.exact)) {
    const engine::ExactRun run = of(table.f64, step.operation, step.blocks.operands);
    bool all_f32 = true;
    for_each_part(step.blocks, range.first, range.length,
                  [&](std::int64_t left, std::int64_t right, std::int64_t at, std::int64_t n) {
                    all_f32 = run(a.v + (left - a.first), b.v + (right - b.first), out.v + at, n) && all_f32;
                  });
    out.exact = !intervals || all_f32;
    if (out.exact) return;
  }
  const engine::IntervalRun run = of(table.interval, step.operation, step.blocks.operands);
  for_each_part(step.blocks, range.first, range.length,
                [&](std::int64_t left, std::int64_t right, std::int64_t at, std::int64_t n) {
                  run(interval_at(a, left), interval_at(b, right), {out.v + at, out.low + at, out.high + at}, n);
                });
  out.exact = false;
  note_widths(step, range, out, found);
}

void unary_block(const Step& step, Range range, const Operand& a, Block& out, Findings& found) {
  if (step.kind == StepKind::negate) {
    const Operand ends_swapped = {a.v, a.high, a.low, a.first, a.exact};
    return map_all(ends_swapped, range, out, [](double value) { return -value; });
  }
  if (step.kind == StepKind::relu) {
    map_all(a, range, out, [](double value) { return value > 0 ? value : value == value ? 0.0 : value; });
    const std::int64_t at = range.first - a.first;
    for (std::int64_t i = 0; !a.exact && i < range.length; ++i) {
      // An interval of everything includes NaN, which relu passes on: it stays one.
      if (a.low[at + i] == -infinity && a.high[at + i] == infinity) out.low[i] = -infinity;
    }
    return;
  }
  map_all(a, range, out, [](double value) { return value > 0 ? 1.0 : 0.0; });
  if (out.exact) return;
  std::int64_t differing = 0;
  for (std::int64_t i = 0; i < range.length; ++i) differing += out.low[i] != out.high[i] ? 1 : 0;
  found.differing = found.differing || differing != 0;
}

void round_block(const Step& step, double f64_share, Range range, const Operand& a, Block& out, Findings& found) {
  const auto n = static_cast<std::size_t>(range.length);
  const std::int64_t offset = range.first - a.first;
  const double *v = a.v + offset, *low = a.low + offset, *high = a.high + offset;
  const auto round = [&](const double* from, double* to) {
    round_to(step.dtype, std::span<const double>(from, n), std::span<double>(to, n), step.rule);
  };
  round(v, out.v);
  out.exact = a.exact;
  if (a.exact) {
    found.nan = found.nan || any_nan(out.v, range.length);
    return;
  }
  round(low, out.low);
  round(high, out.high);
  std::int64_t open = 0;
  for (std::size_t i = 0; i < n; ++i) {
    // Anything stays anything, NaN included, where the store saturates too.
    const bool everything = (low[i] == -infinity) & (high[i] == infinity);
    out.low[i] = everything ? -infinity : out.low[i];
    out.high[i] = everything ? infinity : out.high[i];
    open += out.low[i] != out.high[i] ? 1 : 0;
  }
  if (open == 0) return;
  found.differing = true;
  std::vector<double> below, above;
  for (std::size_t i = 0; i < n; ++i) {
    if (out.low[i] == out.high[i] || v[i] != v[i]) continue;
    const double half = std::max(v[i] - low[i], high[i] - v[i]);
    const double e = half < infinity ? half * f64_share : 0;
    below.push_back(v[i] - e);
    above.push_back(v[i] + e);
  }
  round_to(step.dtype, std::span<const double>(below), below, step.rule);
  round_to(step.dtype, std::span<const double>(above), above, step.rule);
  for (std::size_t i = 0; i < below.size(); ++i) found.undecided += below[i] != above[i] ? 1 : 0;
}

void either_block(Range range, const Operand& a, const Operand& b, Block& out, Findings& found) {
  const std::int64_t at_a = range.first - a.first, at_b = range.first - b.first;
  const double* a_low = (a.exact ? a.v : a.low) + at_a;
  const double* b_low = (b.exact ? b.v : b.low) + at_b;
  const double* a_high = (a.exact ? a.v : a.high) + at_a;
  const double* b_high = (b.exact ? b.v : b.high) + at_b;
  std::int64_t differing = 0;
  for (std::int64_t i = 0; i < range.length; ++i) {
    out.v[i] = a.v[at_a + i];
    out.low[i] = std::min(a_low[i], b_low[i]);
    out.high[i] = std::max(a_high[i], b_high[i]);
    differing += out.low[i] != out.high[i] ? 1 : 0;
  }
  out.exact = false;
  found.differing = found.differing || differing != 0;
}

}  // namespace fusecheck::run
