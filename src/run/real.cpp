#include "run/real.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "fusecheck/error.hpp"

namespace fusecheck::run {
namespace {

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
  for (std::size_t i = 0; i < half.size(); ++i) {
    if ((*x.low)[i] == (*x.high)[i]) continue;  // infinite points too
    const double below = v[i] - (*x.low)[i];
    const double above = (*x.high)[i] - v[i];
    half[i] = below > above ? below : above;
  }
  return half;
}

double granularity(std::span<const double> values) {
  int lowest = 1023;
  int highest = -1023;
  for (const double value : values) {
    if (value == 0) continue;
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const int field = static_cast<int>(bits >> 52) & 0x7ff;
    if (field == 0x7ff) return 0;
    const std::uint64_t mantissa = (bits & 0xfffffffffffffULL) | (field == 0 ? 0 : 1ULL << 52);
    const int scale = (field == 0 ? 1 : field) - 1075;
    lowest = std::min(lowest, scale + std::countr_zero(mantissa));
    highest = std::max(highest, scale + 52);
    if (highest - lowest > 24) return 0;
  }
  return lowest < -1022 ? 0 : std::bit_cast<double>(static_cast<std::uint64_t>(lowest + 1023) << 52);
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
