#include "run/real_layout.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "run/layout_ops.hpp"

namespace fusecheck::run {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// `function` on the value, both ends and the magnitudes.
template <class F>
Real each_part(const Real& x, F function) {
  Real out = x;
  out.before = nullptr;
  out.contraction = nullptr;
  out.uncertified = 0;
  out.v = share(function(*x.v));
  if (!x.exact()) {
    out.low = share(function(*x.low));
    out.high = share(function(*x.high));
  }
  if (x.magnitude != nullptr) out.magnitude = share(function(*x.magnitude));
  return out;
}

void mark_possible_maxima(const Real& x, const SumLayout& layout, std::vector<double>& low, std::vector<double>& high) {
  for (const std::int64_t base : layout.group_base) {
    double before = -infinity;  // an earlier element is certainly at least this; a later one needs more
    double all = -infinity;
    for (const std::int64_t offset : layout.term_offset)
      all = larger(all, x.lows()[static_cast<std::size_t>(base + offset)]);
    std::size_t possible = 0, last = 0;
    for (const std::int64_t offset : layout.term_offset) {
      const auto i = static_cast<std::size_t>(base + offset);
      const double reach = x.highs()[i];
      const bool beaten = reach < all || (possible > 0 && reach <= before);
      before = larger(before, x.lows()[i]);
      if (beaten) continue;
      high[i] = 1;
      last = i;
      ++possible;
    }
    if (possible == 1) low[last] = 1;
  }
}

// That of the element which is the largest: what lies below adds no error.
std::vector<double> magnitudes_at_largest(const Real& x, const std::vector<double>& largest, const SumLayout& layout) {
  std::vector<double> m(largest.size(), 0);
  for (std::size_t group = 0; group < m.size(); ++group) {
    for (const std::int64_t offset : layout.term_offset) {
      const auto i = static_cast<std::size_t>(layout.group_base[group] + offset);
      if ((*x.v)[i] == largest[group]) m[group] = larger(m[group], (*x.magnitude)[i]);
    }
  }
  return m;
}

std::vector<double> magnitudes_of(const Real& x) {
  if (x.magnitude != nullptr) return *x.magnitude;
  std::vector<double> values = *x.v;
  for (double& value : values) value = std::fabs(value);
  return values;
}

}  // namespace

Real largest_of(const Real& x, const SumLayout& layout) {
  Real out = each_part(x, [&](const std::vector<double>& values) { return largest(values, layout); });
  if (x.magnitude != nullptr) out.magnitude = share(magnitudes_at_largest(x, *out.v, layout));
  return out;
}

Real first_largest_of(const Real& x, const SumLayout& layout) {
  Real out;
  out.v = share(first_largest(*x.v, layout));
  if (!x.exact()) {
    std::vector<double> low(x.size(), 0), high(x.size(), 0);
    mark_possible_maxima(x, layout, low, high);
    if (low != high) {
      out.low = share(std::move(low));
      out.high = share(std::move(high));
      out.typical = out.bias = out.rms = 1;
    }
  }
  return out;
}

Real picked_from(const Real& x, const std::vector<std::int64_t>& from, double fill) {
  return each_part(x, [&](const std::vector<double>& values) { return picked(values, from, fill); });
}

Real joined_reals(const std::vector<const Real*>& parts, const std::vector<Shape>& shapes, int axis, bool magnitudes) {
  std::vector<const std::vector<double>*> v, low, high, magnitude;
  std::vector<std::vector<double>> made;  // magnitudes of the parts that carry none
  made.reserve(parts.size());
  Real out;
  bool exact = true;
  for (const Real* part : parts) {
    const Real& x = *part;
    v.push_back(x.v.get());
    low.push_back(&x.lows());
    high.push_back(&x.highs());
    if (magnitudes) {
      made.push_back(magnitudes_of(x));
      magnitude.push_back(&made.back());
    }
    exact = exact && x.exact();
    out.typical = std::max(out.typical, x.typical);
    out.bias = std::max(out.bias, x.bias);
    out.rms = std::max(out.rms, x.rms);
    out.f64_share = std::max(out.f64_share, x.f64_share);
    out.rigorous = std::max(out.rigorous, x.rigorous);
  }
  out.v = share(joined(v, shapes, axis));
  if (!exact) {
    out.low = share(joined(low, shapes, axis));
    out.high = share(joined(high, shapes, axis));
  }
  if (magnitudes) out.magnitude = share(joined(magnitude, shapes, axis));
  return out;
}

}  // namespace fusecheck::run
