#include "run/certify.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "numeric/sums.hpp"

namespace fusecheck::run {
namespace {

// More undecided elements than this share say that the bound is useless there, and exact sums would cost a run of their
// own.
constexpr std::size_t most_exact_share = 64;
constexpr std::size_t always_summed = 64;  // so few cost nothing

// high + low rounded to odd: on the same side of every rounding boundary of a 16- or 32-bit format, since boundaries
// are even doubles. The neighbour of an odd `high` may be one.
double representative(const numeric::DoubleDouble& sum) {
  if (sum.low == 0 || std::bit_cast<std::uint64_t>(sum.high) % 2 == 1) return sum.high;
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

Certified certified(const Real& x, DType dtype, const RoundingRule& rule, const std::vector<double>& low,
                    const std::vector<double>& high) {
  Certified result;
  const std::vector<double>& v = *x.v;
  result.values.resize(v.size());
  round_to(dtype, std::span<const double>(v), result.values, rule);
  // The error of v is far below the half-width: where the ends of the interval round together, so does v ± e.
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < low.size(); ++i) {
    if (low[i] != high[i] && v[i] == v[i]) open.push_back(i);
  }
  std::vector<double> below(open.size());
  std::vector<double> above(open.size());
  for (std::size_t j = 0; j < open.size(); ++j) {
    const std::size_t i = open[j];
    const double half = std::max(v[i] - (*x.low)[i], (*x.high)[i] - v[i]);
    const double e = half < std::numeric_limits<double>::infinity() ? half * x.f64_share : 0;
    below[j] = v[i] - e;
    above[j] = v[i] + e;
  }
  round_to(dtype, std::span<const double>(below), below, rule);
  round_to(dtype, std::span<const double>(above), above, rule);
  std::vector<std::size_t> undecided;
  for (std::size_t j = 0; j < open.size(); ++j) {
    if (below[j] != above[j]) undecided.push_back(open[j]);
  }
  const bool summable = x.contraction != nullptr && !x.contraction->a32.empty() &&
                        undecided.size() <= std::max(always_summed, v.size() / most_exact_share);
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
