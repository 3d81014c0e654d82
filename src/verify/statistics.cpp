// J7: sums over independent groups, and the limits that legal orders stay under.
//
// Limits: three times what the calibration orders gave, plus an allowance for the luck of the draw. With G groups and
// every term in [-1, 1] (statistics.hpp), V the limit for E[q²]:
//   counts  3p + 4·sqrt(3p) + 3     Poisson: variance = mean; at p -> 0 the fourth flip is the first that alarms
//   mean    3·bias + 4·sqrt(V/G)    V is nine times what was measured, so this is twelve standard errors of a legal
//   order rms²    as counts where r is rarely 0 or one ulp; else V·(1 + 4·sqrt(4/G)): Var[q²] <= 4·E[q²]² to a kurtosis
//   of 5
#include "verify/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fusecheck/error.hpp"
#include "verify/elements.hpp"
#include "verify/grouping.hpp"
#include "verify/shared_rounding.hpp"
#include "verify/spacing.hpp"
#include "verify/words.hpp"

namespace fusecheck::verify {
namespace {

// What the elements of one group add up to.
struct Group {
  double count = 0;
  double q = 0, q_magnitude = 0;
  double flips = 0, predicted = 0, near_boundary = 0;
  double variance = 0;                  // limit for q²
  double bias = 0, bias_magnitude = 0;  // limits for the mean of q
};

struct Calibration {
  double mean, rms, bias, bias_magnitude;
};

// rms >= mean of the same numbers, whatever was measured on which sample.
Calibration calibration_of(const Expected& expected) {
  return {expected.typical, std::max(expected.typical, expected.typical_rms), expected.typical_bias,
          expected.typical_bias_magnitude};
}

constexpr double factor = 3;      // J7
constexpr double deviations = 4;  // standard deviations of statistical allowance

double count_limit(double predicted) { return factor * predicted + deviations * std::sqrt(factor * predicted) + 3; }

// |truth - exact| averages at most one ulp whichever way the store rounds; more means they belong to different data.
class TruthCheck {
 public:
  explicit TruthCheck(const Expected& expected)
      : largest_(is_floating(expected.dtype) ? largest_finite(expected.dtype) : infinity) {}
  void add(double truth, double exact, double step) {
    if (truth == 0 || std::abs(truth) >= largest_) return;  // flushed or saturated
    sum_ += std::abs(truth - exact) / step;
    ++count_;
  }
  void finish() const {
    if (sum_ <= static_cast<double>(count_)) return;
    internal_error("judge: truth is " + rough(sum_ / static_cast<double>(count_)) +
                   " ULP from the exact value on average: it is not that value rounded to storage");
  }

 private:
  double largest_, sum_ = 0;
  std::int64_t count_ = 0;
};

// Sums over elements, not groups.
struct Totals {
  std::int64_t counted = 0, coarse = 0;
  double truth_ulp = 0;             // Σ |truth|/ulp: flips per unit of a relative fault
  double visible_bound = infinity;  // relative fault that drives some element out of its interval
};

void finish(Statistics& found, const std::vector<Group>& groups, const Totals& totals, bool calibrated) {
  found.groups = static_cast<std::int64_t>(groups.size());
  found.smallest_visible = totals.visible_bound == infinity ? 0 : totals.visible_bound;
  if (groups.empty()) return;
  double predicted = 0, near_boundary = 0, variance = 0, squares = 0, bias = 0, bias_magnitude = 0;
  for (const Group& group : groups) {
    const double share = 1 / group.count;
    found.flips += group.flips * share;
    predicted += group.predicted * share;
    near_boundary += group.near_boundary * share;
    variance += group.variance * share;
    squares += group.q * share * group.q * share;
    found.mean += group.q * share;
    found.mean_magnitude += group.q_magnitude * share;
    bias += group.bias * share;
    bias_magnitude += group.bias_magnitude * share;
  }
  const double count = static_cast<double>(groups.size());
  found.rms = std::sqrt(squares / count);
  found.mean /= count;
  found.mean_magnitude /= count;
  found.judged = calibrated && found.groups >= fewest_groups;
  if (!found.judged) return;
  found.flips_judged = 2 * totals.coarse > totals.counted;
  const double square_limit = found.flips_judged ? variance + deviations * std::sqrt(variance) + 3
                                                 : variance * (1 + deviations * std::sqrt(4 / count));
  found.rms_limit = std::sqrt(square_limit / count);
  const double allowance = deviations * std::sqrt(variance) / count;
  found.mean_limit = bias / count + allowance;
  if (bias_magnitude > 0) found.mean_magnitude_limit = bias_magnitude / count + allowance;
  if (!found.flips_judged) return;
  found.flips_limit = count_limit(std::max(predicted, near_boundary));
  if (totals.truth_ulp > 0) {
    const double per_fault = totals.truth_ulp * count / static_cast<double>(totals.counted);
    const double visible = found.flips_limit / per_fault;
    found.smallest_visible = found.smallest_visible > 0 ? std::min(found.smallest_visible, visible) : visible;
  }
}

}  // namespace

bool Statistics::passed() const {
  if (!judged) return true;
  if (flips_judged && flips > flips_limit) return false;
  if (mean_magnitude_limit > 0 && std::abs(mean_magnitude) > mean_magnitude_limit) return false;
  return rms <= rms_limit && std::abs(mean) <= mean_limit;
}

Statistics gather_statistics(const Expected& expected, std::span<const double> actual,
                             std::span<const std::string> axes) {
  Statistics found;
  if (expected.half_width.empty()) return found;
  const Calibration typical = calibration_of(expected);
  const Spacing spacing(expected.dtype);
  // A scalar that the whole tensor shares (1/n, eps) may be rounded either way: half an ulp of compute precision.
  const Spacing compute_spacing(expected.dtype == DType::f64 ? DType::f64 : DType::f32);
  const bool floating = is_floating(expected.dtype);
  const bool exact_known = !expected.exact.empty();
  Grouping grouping(expected);
  TruthCheck truth_check(expected);
  std::vector<Group> groups;
  std::vector<float> scaled(actual.size(), 0.0F);
  Totals totals;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double truth = expected.truth[i], half_width = expected.half_width[i], a = actual[i];
    if (!std::isfinite(truth) || fit_of(truth, expected.low[i], expected.high[i], a) == Fit::ambiguous) continue;
    const double step = spacing(truth), size = std::abs(truth);
    if (exact_known && std::isfinite(expected.exact[i])) truth_check.add(truth, expected.exact[i], step);
    const double end = std::max(expected.high[i] - truth, truth - expected.low[i]) + step / 2;
    if (end < totals.visible_bound * size) totals.visible_bound = end / size;
    if (!floating || !std::isfinite(a) || !(half_width > 0) || half_width == infinity) continue;
    const double unit = 1 / (half_width + step);
    const double q = (a - truth) * unit;
    scaled[i] = static_cast<float>(q);
    const std::int32_t number = grouping.group_of(i);
    if (static_cast<std::size_t>(number) == groups.size()) groups.emplace_back();
    Group& group = groups[static_cast<std::size_t>(number)];
    ++totals.counted;
    totals.coarse += half_width < 0.25 * step ? 1 : 0;
    totals.truth_ulp += size / step;
    const double predicted = std::min(1.0, typical.mean * half_width / step);
    found.flips_predicted += predicted;
    group.count += 1;
    group.q += q;
    group.q_magnitude += truth < 0 ? -q : q;
    group.flips += a != truth ? 1 : 0;
    group.predicted += predicted;
    const double spread = factor * typical.rms * half_width;
    group.variance += (spread * spread + std::min(factor * typical.mean * half_width, step / 4) * step) * unit * unit;
    const double shared = compute_spacing(truth) / 2;
    group.bias += (factor * typical.bias * half_width + shared) * unit;
    group.bias_magnitude +=
        typical.bias_magnitude > 0 ? (factor * typical.bias_magnitude * half_width + shared) * unit : 0;
    // Positions need not be uniform (integers sit on ties): an element within 2 rms of a rounding boundary flips with
    // probability at most 1/2. A quarter each is what the uniform formula gives, and 3/4 after the factor.
    if (exact_known && std::abs(step / 2 - std::abs(expected.exact[i] - truth)) <= 2 * typical.rms * half_width) {
      group.near_boundary += 0.25;
    }
  }
  truth_check.finish();
  finish(found, groups, totals, expected.typical > 0);
  const bool mean_alarms = std::abs(found.mean) > found.mean_limit;
  if (found.judged && mean_alarms && expected.group.empty()) {
    found.mean_limit += shared_rounding_allowance(expected.shape, axes, scaled, found.rms_limit);
  }
  return found;
}

}  // namespace fusecheck::verify
