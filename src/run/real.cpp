#include "run/real.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "fusecheck/error.hpp"

namespace fusecheck::run {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<std::int64_t> row_major_strides(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

}  // namespace

Doubles broadcast(const Doubles& values, const Shape& from, const Shape& to) {
  if (values == nullptr || from == to) return values;
  std::vector<double> out(static_cast<std::size_t>(element_count(to)));
  const std::size_t lead = to.size() - from.size();
  // The axes behind the last one along which `from` varies repeat a single element: fill them as blocks.
  std::size_t varying = to.size();
  while (varying > 0 && (varying - 1 < lead || from[varying - 1 - lead] == 1)) --varying;
  std::int64_t block = 1;
  for (std::size_t i = varying; i < to.size(); ++i) block *= to[i];
  const std::vector<std::int64_t> strides = row_major_strides(from);
  const std::vector<double>& source = *values;
  for (std::int64_t start = 0; start < static_cast<std::int64_t>(out.size()); start += block) {
    std::int64_t rest = start / block;
    std::int64_t position = 0;
    for (std::size_t axis = varying; axis-- > 0;) {
      const std::int64_t index = rest % to[axis];
      rest /= to[axis];
      if (axis >= lead && from[axis - lead] != 1) position += index * strides[axis - lead];
    }
    const double value = source[static_cast<std::size_t>(position)];
    for (std::int64_t i = 0; i < block; ++i) out[static_cast<std::size_t>(start + i)] = value;
  }
  return share(std::move(out));
}

Real broadcast(const Real& x, const Shape& from, const Shape& to) {
  if (from == to) return x;
  Real wide = x;
  wide.v = broadcast(x.v, from, to);
  wide.low = broadcast(x.low, from, to);
  wide.high = broadcast(x.high, from, to);
  wide.magnitude = broadcast(x.magnitude, from, to);
  wide.before = nullptr;
  wide.contraction = nullptr;
  return wide;
}

std::vector<double> half_widths(const Real& x) {
  std::vector<double> half(x.size(), 0);
  if (x.exact()) return half;
  const std::vector<double>& v = *x.v;
  const double *low = x.low->data(), *high = x.high->data();
  for (std::size_t i = 0; i < half.size(); ++i) {  // no branch: the loop vectorises
    const double below = v[i] - low[i], above = high[i] - v[i];
    const double wider = below > above ? below : above;
    const double width = wider == wider ? wider : infinity;     // Inf in [-Inf, Inf]
    half[i] = low[i] == high[i] || v[i] != v[i] ? 0.0 : width;  // infinite points and NaN
  }
  return half;
}

namespace {

// Bit patterns of magnitudes are in the order of the magnitudes.
std::uint64_t largest_pattern(std::span<const double> values) {
  std::uint64_t largest = 0;
  for (const double value : values) {
    largest = std::max(largest, std::bit_cast<std::uint64_t>(value) & ~(std::uint64_t{1} << 63));
  }
  return largest;
}

}  // namespace

double largest_magnitude(std::span<const double> values) {
  return std::bit_cast<double>(std::min(largest_pattern(values), std::bit_cast<std::uint64_t>(infinity)));
}

double granularity(std::span<const double> values) {
  const std::uint64_t largest = largest_pattern(values);
  const int field = static_cast<int>(largest >> 52);
  if (largest == 0) return 0x1p1023;
  if (field == 0x7ff || field < 64) return 0;  // not finite, or far below every f32 value
  // In units of 2^(e - 24), where 2^e <= the largest magnitude < 2^(e+1): all integers below 2^25, or no answer.
  const double unit = std::bit_cast<double>(static_cast<std::uint64_t>(field - 24) << 52), per_unit = 1 / unit;
  constexpr std::size_t together = 4096;
  std::int32_t bits = 0;
  for (std::size_t first = 0; first < values.size(); first += together) {
    std::int32_t fractions = 0;
    for (const double value : values.subspan(first, std::min(together, values.size() - first))) {
      const double scaled = value * per_unit;
      const auto whole = static_cast<std::int32_t>(scaled);
      bits |= whole;
      fractions |= static_cast<double>(whole) == scaled ? 0 : 1;
    }
    if (fractions != 0) return 0;
  }
  return unit * static_cast<double>(1 << std::countr_zero(static_cast<std::uint32_t>(bits)));
}

SumLayout sum_layout(const Shape& shape, const std::vector<int>& axes) {
  SumLayout layout;
  layout.shape = shape;
  std::vector<bool> summed(shape.size(), false);
  for (const int axis : axes) {
    summed.at(static_cast<std::size_t>(axis)) = true;
    layout.shape[static_cast<std::size_t>(axis)] = 1;
  }
  const std::vector<std::int64_t> strides = row_major_strides(shape);
  // Row-major positions over the axes for which `wanted` says so.
  const auto positions = [&](bool wanted) {
    std::vector<std::int64_t> list = {0};
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (summed[axis] != wanted) continue;
      std::vector<std::int64_t> longer;
      longer.reserve(list.size() * static_cast<std::size_t>(shape[axis]));
      for (const std::int64_t base : list) {
        for (std::int64_t i = 0; i < shape[axis]; ++i) longer.push_back(base + i * strides[axis]);
      }
      list = std::move(longer);
    }
    return list;
  };
  layout.group_base = positions(false);
  layout.term_offset = positions(true);
  layout.groups = static_cast<std::int64_t>(layout.group_base.size());
  layout.terms = static_cast<std::int64_t>(layout.term_offset.size());
  return layout;
}

}  // namespace fusecheck::run
