// What a failure on statistics alone looks like, in the words of hardware.
#include <cmath>
#include <cstdint>
#include <string>

#include "verify/statistics.hpp"
#include "verify/words.hpp"

namespace fusecheck::verify {
namespace {

// Which way the elements that differ from truth went.
struct Directions {
  std::int64_t up = 0, down = 0, outward = 0, inward = 0;
  std::int64_t all() const { return up + down; }
};

Directions directions_of(const Expected& expected, std::span<const double> actual) {
  Directions found;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double truth = expected.truth[i], a = actual[i];
    if (a > truth) ++found.up;
    if (a < truth) ++found.down;
    if (std::abs(a) > std::abs(truth)) ++found.outward;
    if (std::abs(a) < std::abs(truth)) ++found.inward;
  }
  return found;
}

bool nearly_all(std::int64_t part, std::int64_t whole) { return 10 * part >= 9 * whole; }

std::string what_broke(const Statistics& s) {
  if (s.judged && s.flips_judged && s.flips > s.flips_limit) {
    return rough(100 * s.flips / static_cast<double>(s.groups)) + " % of the bits flipped, legal orders at most " +
           rough(100 * s.flips_limit / static_cast<double>(s.groups)) + " %";
  }
  if (s.too_many_flips()) {
    return rough(100 * s.element_flips) + " % of the elements flipped, legal orders at most " +
           rough(100 * s.element_flips_limit) + " %";
  }
  if (s.judged && s.rms > s.rms_limit) {
    return "rms error " + rough(s.rms) + ", legal orders at most " + rough(s.rms_limit);
  }
  if (s.rms_too_large()) {
    return "rms error " + rough(s.element_rms) + " over the elements, legal orders at most " +
           rough(s.element_rms_limit);
  }
  if (std::abs(s.mean) > s.mean_limit) {
    return "mean error " + rough(s.mean) + ", legal orders at most " + rough(s.mean_limit) + " either way";
  }
  return "mean error of the magnitude " + rough(s.mean_magnitude) + ", legal orders at most " +
         rough(s.mean_magnitude_limit) + " either way";
}

std::string explanation(const Statistics& s, const Directions& d) {
  // Inward first: on one-signed data truncation also rounds down, and hardware truncates more often than it floors.
  const bool stored = s.flips_judged || s.too_many_flips();
  if (nearly_all(d.inward, d.all())) {
    return stored ? "toward zero: looks like truncation on store"
                  : "toward zero: looks like an accumulator or a store that truncates";
  }
  if (nearly_all(d.outward, d.all())) return "away from zero: looks like magnitudes rounded up on store";
  if (nearly_all(d.down, d.all())) return "downward: looks like rounding toward -Inf on store";
  if (nearly_all(d.up, d.all())) return "upward: looks like rounding toward +Inf on store";
  if (!s.rms_too_large() && !s.too_many_flips()) {
    return "a common shift: looks like a constant (eps, 1/n, a scale) rounded to a narrower type";
  }
  return "in both directions: looks like partial sums or an intermediate in a narrower type than declared";
}

}  // namespace

std::string statistics_reason(const Statistics& statistics, const Expected& expected, std::span<const double> actual,
                              double mean_ulp, double mean_magnitude_ulp) {
  if (statistics.passed()) return {};
  const Directions directions = directions_of(expected, actual);
  const bool radial =
      nearly_all(directions.inward, directions.all()) || nearly_all(directions.outward, directions.all());
  return "statistics only, every element is inside its limit: " + what_broke(statistics) + "; mean error " +
         rough(radial ? mean_magnitude_ulp : mean_ulp) + " ULP, " + explanation(statistics, directions);
}

}  // namespace fusecheck::verify
