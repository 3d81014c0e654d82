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
#include <array>
#include <cmath>
#include <limits>
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
// Flushed and saturated elements are left out.
void check_truth(double ulps, double count) {
  if (ulps <= count) return;
  internal_error("judge: truth is " + rough(ulps / count) +
                 " ULP from the exact value on average: it is not that value rounded to storage");
}

// Sums over elements, not groups.
struct Totals {
  double counted = 0, coarse = 0;
  double truth_ulp = 0;             // Σ |truth|/ulp: flips per unit of a relative fault
  double flips = 0, squares = 0;    // of actual: elements, Σ q²
  double one_ulp = 0;               // Σ q² where every element is off by one ulp
  double visible_bound = infinity;  // relative fault that drives some element out of its interval
};

MomentRule rule_of(const Expected& expected, const Calibration& typical) {
  // A scalar that the whole tensor shares (1/n, eps) may be rounded either way: half an ulp of compute precision.
  const DType compute = expected.dtype == DType::f64 ? DType::f64 : DType::f32;
  const bool floating = is_floating(expected.dtype);
  return {Spacing(expected.dtype).parameters(),
          Spacing(compute).parameters(),
          typical.mean,
          typical.rms,
          typical.bias,
          typical.bias_magnitude,
          floating ? largest_finite(expected.dtype) : infinity,
          floating};
}

// Calls run(elements, first) for runs of elements; what is missing in the last eight is NaN, which nothing counts.
template <class Run>
void for_each_run(const Expected& expected, std::span<const double> actual, Run run) {
  constexpr std::size_t together = 512;
  const bool exact_known = !expected.exact.empty();
  const std::size_t n = actual.size(), whole = n / moment_lanes * moment_lanes;
  for (std::size_t first = 0; first < whole; first += together) {
    run(Elements8{expected.truth.data() + first, expected.low.data() + first, expected.high.data() + first,
                  expected.half_width.data() + first, actual.data() + first,
                  exact_known ? expected.exact.data() + first : nullptr, nullptr, std::min(together, whole - first)},
        first);
  }
  if (whole == n) return;
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  std::array<std::array<double, moment_lanes>, 6> last;
  for (auto& array : last) array.fill(nothing);
  const auto rest = [&](std::span<const double> values, std::size_t into) {
    if (!values.empty())
      std::copy(values.begin() + static_cast<std::ptrdiff_t>(whole), values.end(), last[into].begin());
    return last[into].data();
  };
  run(Elements8{rest(expected.truth, 0), rest(expected.low, 1), rest(expected.high, 2), rest(expected.half_width, 3),
                rest(actual, 4), exact_known ? rest(expected.exact, 5) : nullptr, nullptr, moment_lanes},
      whole);
}

double total(const Lanes8& lanes) {
  double sum = 0;
  for (const double lane : lanes.at) sum += lane;
  return sum;
}

// Marks the elements that say something, no_group for the rest: a rounding error is possible there, and both values are
// finite. On the way, what needs no groups: the check of truth, and the fault that the intervals show.
std::vector<std::int32_t> counted_elements(const Expected& expected, std::span<const double> actual,
                                           const MomentRule& rule, Totals& totals) {
  std::vector<std::int32_t> counted(actual.size() + moment_lanes);
  Screened screened;
  for (double& bound : screened.visible_bound.at) bound = infinity;
  for_each_run(expected, actual, [&](const Elements8& elements, std::size_t first) {
    moment_loops().screen(rule, elements, counted.data() + first, screened);
  });
  check_truth(total(screened.truth_error), total(screened.truth_count));
  for (const double bound : screened.visible_bound.at) totals.visible_bound = std::min(totals.visible_bound, bound);
  counted.resize(actual.size());
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

struct GroupMoments {
  Sums sums;
  Moments moments;
  double predicted = 0;
  std::vector<double> group_q;

  void add_to(Totals& totals) const {
    totals.counted = total(moments.counted);
    totals.coarse = total(moments.coarse);
    totals.truth_ulp = total(moments.truth_ulp);
    totals.flips = total(moments.element_flips);
    totals.squares = total(moments.squares);
    totals.one_ulp = total(moments.one_ulp);
  }
};

// Positions need not be uniform (integers sit on ties; a stored product plus one bias sits beside the same boundary in
// a whole column): an element within 2 rms of a rounding boundary, or within one rounding of the compute type, flips
// with probability at most 1/2. A quarter each is what the uniform formula gives, and 3/4 after the factor; of flips,
// and of the square of an ulp in rms.
GroupMoments moments_of(const Expected& expected, std::span<const double> actual, const MomentRule& rule,
                        const Grouping& grouping) {
  GroupMoments over;
  over.group_q.assign(grouping.weight.size(), 0.0);
  std::vector<double> weights, q;
  for_each_run(expected, actual, [&](Elements8 elements, std::size_t first) {
    const std::size_t n = std::min(elements.n, actual.size() - first);
    weights.assign(elements.n, 0.0);
    q.resize(elements.n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::int32_t group = grouping.group[first + i];
      if (group != no_group) weights[i] = grouping.weight[static_cast<std::size_t>(group)];
    }
    elements.weight = weights.data();
    moment_loops().moments(rule, elements, q.data(), over.moments);
    // What is not counted has q = 0, which any group may take: nobody could predict a branch here.
    for (std::size_t i = 0; i < n && !over.group_q.empty(); ++i) {
      over.group_q[static_cast<std::size_t>(std::max(grouping.group[first + i], 0))] += q[i] * weights[i];
    }
  });
  const Moments& m = over.moments;
  const double variance = total(m.variance) + std::max(total(m.rounding), total(m.rounding_near));
  over.sums = {total(m.q),
               total(m.q_magnitude),
               total(m.flips),
               total(m.predicted),
               total(m.near_boundary),
               variance,
               total(m.bias),
               0};
  if (rule.bias_magnitude > 0) over.sums.bias_magnitude = total(m.bias_magnitude);
  over.predicted = total(m.element_predicted);
  return over;
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
    const double per_fault = totals.truth_ulp * count / totals.counted;
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
  const double count = totals.counted;
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
  const MomentRule rule = rule_of(expected, typical);
  Totals totals;
  const Grouping grouping = group_elements(expected, counted_elements(expected, actual, rule, totals));
  const GroupMoments over = moments_of(expected, actual, rule, grouping);
  const Sums& sums = over.sums;
  found.flips_predicted = over.predicted;
  over.add_to(totals);
  found.groups = std::ssize(grouping.weight);
  found.smallest_visible = totals.visible_bound == infinity ? 0 : totals.visible_bound;
  if (found.groups == 0) return found;
  if (expected.whole_runs.has_value()) judge_over_elements(found, *expected.whole_runs, totals);
  const double count = static_cast<double>(found.groups);
  double squares = 0;
  for (const double q : over.group_q) squares += q * q;
  found.flips = sums.flips;
  found.rms = std::sqrt(squares / count);
  found.mean = sums.q / count;
  found.mean_magnitude = sums.q_magnitude / count;
  found.judged = expected.typical > 0 && found.groups >= fewest_groups;
  if (found.judged) {
    set_limits(found, sums, totals);
    allow_few(found, over.group_q);
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
