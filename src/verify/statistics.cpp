// J7: sums over independent groups, and the limits that legal orders stay under.
//
// Limits: three times what the calibration orders gave, plus an allowance for the luck of the draw. With G groups,
// every term in [-1, 1] (statistics.hpp) and V the limit for E[q²]:
//
// counts: 3p + 4·sqrt(3p) + 3. Poisson, variance = mean; at p -> 0 the fourth flip is the first that alarms.
//
// mean: 3·bias + 4·sqrt(V/G). V is nine times what was measured, so this is twelve standard errors of a legal order.
//
// rms²: as counts where r is rarely more than 0; else V·(1 + 4·sqrt(4/G)), as Var[q²] <= 4·E[q²]² to a kurtosis of 5.
//
// Few: three groups far from the rest are no pattern, be they flips (predicted 0.003 times, seen 3 times, all the same
// way) or elements that a flipped operand moved. What the three largest give is allowed on top, in the mean and where
// rms does not count flips already: as with counts, the fourth alarms.
//
// Clusters: one flip of an element of a stored operand moves up to all elements of a slice by an ulp, so that Σq² comes
// in lumps. With m the largest lump, the number of lumps is a count, V/m expected: where rms exceeds its limit
// in a tensor of 16 bits, that becomes V + 4·sqrt(V·m) + 3m. Flips are counted all the same.
//
// Over elements, where whole runs of legal orders are known: flips as counts, and `reach` on top, since another order
// may flip an operand element that none of those flipped, and with it at worst every output that it enters; rms with
// room for other algebra, and for one ulp everywhere, where the runs happened to be exact.
#include "verify/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fusecheck/error.hpp"
#include "verify/elements.hpp"
#include "verify/flipped_operands.hpp"
#include "verify/grouping.hpp"
#include "verify/shared_rounding.hpp"
#include "verify/spacing.hpp"
#include "verify/words.hpp"

namespace fusecheck::verify {
namespace {

// Sums over groups, each counting as the mean of its elements.
struct Sums {
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
  void add(double truth, double exact, double per_step) {
    if (truth == 0 || std::abs(truth) >= largest_) return;  // flushed or saturated
    sum_ += std::abs(truth - exact) * per_step;
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
  double flips = 0, squares = 0;    // of actual: elements, Σ q²
  double one_ulp = 0;               // Σ q² where every element is off by one ulp
  double visible_bound = infinity;  // relative fault that drives some element out of its interval
};

// Marks the elements that say something, no_group for the rest: a rounding error is possible there, and both values are
// finite. On the way, what needs no groups: the check of truth, and the fault that the intervals show.
std::vector<std::int32_t> counted_elements(const Expected& expected, std::span<const double> actual,
                                           const Spacing& spacing, Totals& totals) {
  std::vector<std::int32_t> counted(actual.size(), no_group);
  const bool floating = is_floating(expected.dtype), exact_known = !expected.exact.empty();
  TruthCheck truth_check(expected);
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double truth = expected.truth[i], low = expected.low[i], high = expected.high[i], size = std::abs(truth);
    if (!(size < infinity) || (low == -infinity && high == infinity)) continue;
    if (exact_known && std::isfinite(expected.exact[i])) {
      truth_check.add(truth, expected.exact[i], spacing.inverse(truth));
    }
    const double end = std::max(high - truth, truth - low) + spacing(truth) / 2;
    if (end < totals.visible_bound * size) totals.visible_bound = end / size;
    const double half_width = expected.half_width[i];
    const bool error = half_width > 0 && half_width < infinity;
    if (floating && error && std::isfinite(actual[i])) counted[i] = 0;
  }
  truth_check.finish();
  return counted;
}

// (actual - truth) / (half_width + ulp), 0 where it is not counted.
std::vector<float> scaled_errors(const Expected& expected, std::span<const double> actual, const Grouping& grouping) {
  const Spacing spacing(expected.dtype);
  std::vector<float> scaled(actual.size(), 0.0F);
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (grouping.group[i] == no_group) continue;
    const double truth = expected.truth[i];
    scaled[i] = static_cast<float>((actual[i] - truth) / (expected.half_width[i] + spacing(truth)));
  }
  return scaled;
}

void set_limits(Statistics& found, const Sums& sums, const Totals& totals) {
  const double count = static_cast<double>(found.groups), variance = sums.variance;
  found.flips_judged = 2 * totals.coarse > totals.counted;
  const double square_limit = found.flips_judged ? variance + deviations * std::sqrt(variance) + 3
                                                 : variance * (1 + deviations * std::sqrt(4 / count));
  found.rms_limit = std::sqrt(square_limit / count);
  const double allowance = deviations * std::sqrt(variance) / count;
  found.mean_limit = sums.bias / count + allowance;
  if (sums.bias_magnitude > 0) found.mean_magnitude_limit = sums.bias_magnitude / count + allowance;
  if (!found.flips_judged) return;
  found.flips_limit = count_limit(std::max(sums.predicted, sums.near_boundary));
  if (totals.truth_ulp > 0) {
    const double per_fault = totals.truth_ulp * count / static_cast<double>(totals.counted);
    const double visible = found.flips_limit / per_fault;
    found.smallest_visible = found.smallest_visible > 0 ? std::min(found.smallest_visible, visible) : visible;
  }
}

// The three largest of the groups' |q|, and of those that have the sign of the mean.
void allow_few(Statistics& found, std::vector<double> q) {
  const double count = static_cast<double>(found.groups);
  const auto sum_of_largest = [&](auto size) {
    std::partial_sort(q.begin(), q.begin() + 3, q.end(), [&](double a, double b) { return size(a) > size(b); });
    return size(q[0]) + size(q[1]) + size(q[2]);
  };
  const double sign = found.mean < 0 ? -1 : 1;
  found.mean_limit += sum_of_largest([sign](double x) { return std::max(0.0, sign * x); }) / count;
  const double largest = sum_of_largest([](double x) { return std::abs(x); });
  if (found.mean_magnitude_limit > 0) found.mean_magnitude_limit += largest / count;
  if (found.flips_judged) return;
  const double squares = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
  found.rms_limit = std::sqrt(found.rms_limit * found.rms_limit + squares / count);
}

// Squares of each element's share in its group.
void allow_flipped_operands(Statistics& found, const Expected& expected, std::span<const double> actual,
                            const Grouping& grouping) {
  std::vector<double> squares;
  squares.reserve(actual.size());
  const std::vector<float> scaled = scaled_errors(expected, actual, grouping);
  for (std::size_t i = 0; i < scaled.size(); ++i) {
    const double q = static_cast<double>(scaled[i]);
    squares.push_back(q == 0 ? 0 : q * q * grouping.weight[static_cast<std::size_t>(grouping.group[i])]);
  }
  const double count = static_cast<double>(found.groups), limit = found.rms_limit * found.rms_limit * count;
  const double lump = largest_lump(expected.shape, squares);
  found.rms_limit = std::sqrt((limit + deviations * std::sqrt(limit * lump) + 3 * lump) / count);
}

constexpr double other_algebra = 4;  // errors of scale and shift against those of centre and scale

void judge_over_elements(Statistics& found, const WholeRuns& runs, const Totals& totals) {
  const double count = static_cast<double>(totals.counted);
  found.elements_judged = totals.counted >= fewest_groups && 2 * totals.coarse <= totals.counted;
  if (!found.elements_judged) return;
  found.element_flips = totals.flips / count;
  found.element_flips_limit = 2 * runs.flips + runs.reach + 3 / count;
  found.element_rms = std::sqrt(totals.squares / count);
  found.element_rms_limit = factor * other_algebra * runs.rms + std::sqrt(totals.one_ulp / count);
  if (totals.truth_ulp <= 0) return;
  const double visible = found.element_flips_limit * count / totals.truth_ulp;
  found.smallest_visible = found.smallest_visible > 0 ? std::min(found.smallest_visible, visible) : visible;
}

}  // namespace

bool Statistics::too_many_flips() const {
  return (judged && flips_judged && flips > flips_limit) || (elements_judged && element_flips > element_flips_limit);
}

bool Statistics::rms_too_large() const {
  return (judged && !(rms <= rms_limit)) || (elements_judged && !(element_rms <= element_rms_limit));
}

bool Statistics::passed() const {
  if (too_many_flips() || rms_too_large()) return false;
  if (!judged) return true;
  if (mean_magnitude_limit > 0 && std::abs(mean_magnitude) > mean_magnitude_limit) return false;
  return std::abs(mean) <= mean_limit;
}

Statistics gather_statistics(const Expected& expected, std::span<const double> actual,
                             std::span<const std::string> axes) {
  Statistics found;
  if (expected.half_width.empty()) return found;
  const Calibration typical = calibration_of(expected);
  const Spacing spacing(expected.dtype);
  // A scalar that the whole tensor shares (1/n, eps) may be rounded either way: half an ulp of compute precision.
  const Spacing compute_spacing(expected.dtype == DType::f64 ? DType::f64 : DType::f32);
  const bool exact_known = !expected.exact.empty();
  Totals totals;
  const Grouping grouping = group_elements(expected, counted_elements(expected, actual, spacing, totals));
  std::vector<double> group_q(grouping.weight.size(), 0.0);
  Sums sums;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (grouping.group[i] == no_group) continue;
    const auto group = static_cast<std::size_t>(grouping.group[i]);
    const double truth = expected.truth[i], half_width = expected.half_width[i], a = actual[i];
    const double step = spacing(truth), per_step = spacing.inverse(truth);
    const double unit = 1 / (half_width + step), weight = grouping.weight[group];
    const double q = (a - truth) * unit;
    group_q[group] += q * weight;
    ++totals.counted;
    totals.coarse += half_width < 0.25 * step ? 1 : 0;
    totals.truth_ulp += std::abs(truth) * per_step;
    totals.flips += a != truth ? 1 : 0;
    totals.squares += q * q;
    totals.one_ulp += step * unit * step * unit;
    const double predicted = std::min(1.0, typical.mean * half_width * per_step);
    found.flips_predicted += predicted;
    sums.q += weight * q;
    sums.q_magnitude += weight * (truth < 0 ? -q : q);
    sums.flips += a != truth ? weight : 0;
    sums.predicted += weight * predicted;
    const double spread = factor * typical.rms * half_width;
    const double rounding = std::min(factor * typical.mean * half_width, step / 4) * step;
    sums.variance += weight * (spread * spread + rounding) * unit * unit;
    const double shared = compute_spacing(truth) / 2;
    sums.bias += weight * (factor * typical.bias * half_width + shared) * unit;
    if (typical.bias_magnitude > 0) {
      sums.bias_magnitude += weight * (factor * typical.bias_magnitude * half_width + shared) * unit;
    }
    // Positions need not be uniform (integers sit on ties): an element within 2 rms of a rounding boundary flips with
    // probability at most 1/2. A quarter each is what the uniform formula gives, and 3/4 after the factor.
    if (exact_known && std::abs(step / 2 - std::abs(expected.exact[i] - truth)) <= 2 * typical.rms * half_width) {
      sums.near_boundary += 0.25 * weight;
    }
  }
  found.groups = std::ssize(grouping.weight);
  found.smallest_visible = totals.visible_bound == infinity ? 0 : totals.visible_bound;
  if (found.groups == 0) return found;
  if (expected.whole_runs.has_value()) judge_over_elements(found, *expected.whole_runs, totals);
  const double count = static_cast<double>(found.groups);
  double squares = 0;
  for (const double q : group_q) squares += q * q;
  found.flips = sums.flips;
  found.rms = std::sqrt(squares / count);
  found.mean = sums.q / count;
  found.mean_magnitude = sums.q_magnitude / count;
  found.judged = expected.typical > 0 && found.groups >= fewest_groups;
  if (found.judged) {
    set_limits(found, sums, totals);
    allow_few(found, group_q);
    const bool operands = size_of(expected.dtype) == 2 && expected.group.empty();
    if (operands && found.rms > found.rms_limit) allow_flipped_operands(found, expected, actual, grouping);
  }
  if (found.judged && std::abs(found.mean) > found.mean_limit && expected.group.empty()) {
    found.mean_limit +=
        shared_rounding_allowance(expected.shape, axes, scaled_errors(expected, actual, grouping), found.rms_limit);
  }
  return found;
}

}  // namespace fusecheck::verify
