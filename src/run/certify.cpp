#include "run/certify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numeric/sums.hpp"

namespace fusecheck::run {
namespace {

// More undecided elements than this share say that the bound is useless there, and exact sums would cost a run of their
// own.
constexpr std::size_t most_exact_share = 64;

// A double on the same side of every rounding boundary of a 16- or 32-bit format as high + low.
double representative(const numeric::DoubleDouble& sum) {
  if (sum.low == 0) return sum.high;
  const double towards =
      sum.low > 0 ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  return std::nextafter(sum.high, towards);
}

double exact_value(const ContractionRecord& record, std::int64_t output) {
  std::vector<double> terms = engine::terms_of(record.problem, record.a32, record.b32, output);
  if (!record.bias32.empty()) {
    const Shape shape = record.problem.output_shape();
    const std::int64_t plane = shape[2] * shape[3];
    terms.push_back(static_cast<double>(record.bias32[static_cast<std::size_t>(output / plane % shape[1])]));
  }
  return representative(numeric::exact_sum(terms));
}

}  // namespace

double f64_share(std::int64_t terms) {
  const auto k = static_cast<double>(std::max<std::int64_t>(1, terms));
  return (k + 2) / std::min(k, 8.0) * 0x1p-29;
}

Certified certified(const Real& x, DType dtype, const RoundingRule& rule) {
  Certified result;
  result.values.resize(x.size());
  round_to(dtype, std::span<const double>(*x.v), result.values, rule);
  if (x.exact()) return result;
  const std::vector<double>& v = *x.v;
  const std::vector<double> half = half_widths(x);
  std::vector<double> below(v.size());
  std::vector<double> above(v.size());
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double e = half[i] < std::numeric_limits<double>::infinity() ? half[i] * x.f64_share : 0;
    below[i] = v[i] - e;
    above[i] = v[i] + e;
  }
  round_to(dtype, std::span<const double>(below), below, rule);
  round_to(dtype, std::span<const double>(above), above, rule);
  std::vector<std::size_t> undecided;
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (below[i] != above[i] && v[i] == v[i]) undecided.push_back(i);
  }
  const bool summable =
      x.contraction != nullptr && !x.contraction->a32.empty() && undecided.size() * most_exact_share <= v.size();
  if (!summable) {
    result.undecided = static_cast<std::int64_t>(undecided.size());
    return result;
  }
  for (const std::size_t i : undecided) {
    const double exact = exact_value(*x.contraction, static_cast<std::int64_t>(i));
    result.values[i] = round_to(dtype, exact, rule);
    result.exact.emplace_back(i, exact);
  }
  return result;
}

}  // namespace fusecheck::run
