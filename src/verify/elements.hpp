// The pass over the elements: J6, and everything that is counted on the way.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "fusecheck/judge.hpp"

namespace fusecheck::verify {

constexpr double infinity = std::numeric_limits<double>::infinity();

enum class Fit : std::uint8_t { inside, ambiguous, outside };

// J6 for one element. An interval of everything is where overflow makes anything legal, NaN too.
inline Fit fit_of(double truth, double low, double high, double actual) {
  if (low == -infinity && high == infinity) return Fit::ambiguous;
  if (low <= actual && actual <= high) return Fit::inside;
  return std::isnan(truth) && std::isnan(actual) ? Fit::inside : Fit::outside;
}

// NaN against a number, Inf against a finite value, or Inf against the other Inf.
inline bool nonfinite_mismatch(double truth, double actual) {
  if (std::isfinite(truth) && std::isfinite(actual)) return false;
  return truth != actual && !(std::isnan(truth) && std::isnan(actual));
}

struct Elements {
  std::vector<std::int64_t> bad;  // ascending
  std::int64_t nonfinite = 0, ambiguous = 0, flips = 0;
  double max_abs = 0, limit_ulp = 0, rigorous_limit_ulp = 0, used = 0, smallest_atol = 0;
  std::int64_t max_ulp = 0;
  double mean_ulp = 0, mean_magnitude_ulp = 0;
  std::vector<std::int64_t> worst;  // at most `top`, the worst first
};

// Internal error: a truth outside its own interval.
Elements judge_elements(const Expected& expected, std::span<const double> actual, int top);

// The first `top` of `candidates` by |actual - truth| over the larger of the limit on that side and one ulp; mismatches
// of NaN and Inf come first, ties in ascending order.
std::vector<std::int64_t> worst_of(const Expected& expected, std::span<const double> actual,
                                   std::span<const std::int64_t> candidates, int top);

}  // namespace fusecheck::verify
