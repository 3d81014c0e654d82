// J7: is the tensor as a whole what a legal order of sums gives?
//
// The statistics compare actual with truth, both in storage, in units of half_width + ulp. With err the error before
// the last rounding, r = actual - truth is err plus what two roundings to the same grid leave: if the position of the
// unrounded value between its neighbours is uniform, then
//   E[r] = err,   E[r²] = err² + f(1-f)·ulp² <= err² + min(|err|·ulp, ulp²/4),   f = fraction of |err|/ulp,
// and P(r != 0) = min(1, |err|/ulp). So coarse formats (r is 0 or one ulp, rarely) and fine ones (r is err) obey one
// formula, and an element inside its interval stays within [-1, 1].
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "fusecheck/judge.hpp"

namespace fusecheck::verify {

struct Statistics {
  std::int64_t groups = 0;
  bool judged = false;                // calibrated, and at least `fewest_groups` groups
  bool flips_judged = false;          // the format is coarse against the half-width on most elements
  double flips_predicted = 0;         // over elements
  double flips = 0, flips_limit = 0;  // over groups
  double rms = 0, rms_limit = 0;
  double mean = 0, mean_limit = 0;
  double mean_magnitude = 0, mean_magnitude_limit = 0;  // limit 0: not judged
  double smallest_visible = 0;
  // Over elements, against whole runs of legal orders: where the intervals are too wide to show a flip, whatever the
  // number of groups.
  bool elements_judged = false;
  double element_flips = 0, element_flips_limit = 0;  // shares
  double element_rms = 0, element_rms_limit = 0;
  bool passed() const;
  bool too_many_flips() const;
  bool rms_too_large() const;
};

constexpr std::int64_t fewest_groups = 64;

// Empty where `expected` holds no half-widths. Internal error: truth is not `exact` rounded to storage, or a group
// number out of range. `axes` names the axes (see where.hpp).
Statistics gather_statistics(const Expected& expected, std::span<const double> actual,
                             std::span<const std::string> axes);

// "... mean error -0.5 ULP, toward zero: looks like truncation on store"; empty when the statistics pass. The means are
// those of Judgement.
std::string statistics_reason(const Statistics& statistics, const Expected& expected, std::span<const double> actual,
                              double mean_ulp, double mean_magnitude_ulp);

}  // namespace fusecheck::verify
