// J6 and the figures that go with it, in one pass.
#include "verify/elements.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "fusecheck/error.hpp"
#include "verify/spacing.hpp"

namespace fusecheck::verify {
namespace {

[[noreturn]] void wrong_interval(const Expected& expected, std::size_t i) {
  internal_error("judge: truth " + std::to_string(expected.truth[i]) + " at element " + std::to_string(i) +
                 " lies outside its interval [" + std::to_string(expected.low[i]) + ", " +
                 std::to_string(expected.high[i]) + "]");
}

// How far an element is from truth, in limits; never smaller for a bad element than for a good one of the same limit.
double badness(const Expected& expected, const Spacing& spacing, double actual, std::size_t i) {
  const double truth = expected.truth[i];
  if (nonfinite_mismatch(truth, actual)) return infinity;
  if (actual == truth || std::isnan(truth)) return 0;
  const double limit = actual > truth ? expected.high[i] - truth : truth - expected.low[i];
  return std::abs(actual - truth) / std::max(limit, spacing(truth));
}

// The `top` largest of a stream of scores; of equal ones the first.
class Largest {
 public:
  explicit Largest(int top) : top_(static_cast<std::size_t>(std::max(top, 0))) {}
  double least() const { return least_; }
  void add(double score, std::int64_t at) {
    if (top_ == 0 || score <= least_) return;
    const auto place = std::ranges::find_if(kept_, [&](const Entry& entry) { return score > entry.score; });
    kept_.insert(place, {score, at});
    if (kept_.size() > top_) kept_.pop_back();
    if (kept_.size() == top_) least_ = kept_.back().score;
  }
  std::vector<std::int64_t> places() const {
    std::vector<std::int64_t> all;
    for (const Entry& entry : kept_) all.push_back(entry.at);
    return all;
  }

 private:
  struct Entry {
    double score;
    std::int64_t at;
  };
  std::size_t top_;
  double least_ = 0;  // a score of 0 is never kept
  std::vector<Entry> kept_;
};

}  // namespace

std::vector<std::int64_t> worst_of(const Expected& expected, std::span<const double> actual,
                                   std::span<const std::int64_t> candidates, int top) {
  const Spacing spacing(expected.dtype);
  Largest largest(top);
  for (const std::int64_t at : candidates) {
    const auto i = static_cast<std::size_t>(at);
    largest.add(badness(expected, spacing, actual[i], i), at);
  }
  return largest.places();
}

namespace {

// The pass, one element at a time.
struct Pass {
  const Expected& expected;
  std::span<const double> actual;
  Spacing spacing;
  Largest largest;
  Elements found = {};
  double sum_ulp = 0, sum_magnitude_ulp = 0;
  std::int64_t compared = 0;

  void judge(std::size_t i);
  void score(std::size_t i, double size, double allowed);
};

// Of a finite element that is not truth: among the worst?
void Pass::score(std::size_t i, double size, double allowed) {
  const double truth = expected.truth[i], a = actual[i], step = spacing(truth);
  // No two neighbours between them are closer than the spacing at the smaller magnitude.
  const double closest = std::signbit(truth) == std::signbit(a) ? spacing(std::min(std::abs(a), std::abs(truth))) : 0;
  if (!(size <= static_cast<double>(found.max_ulp) * closest)) {
    found.max_ulp = std::max(found.max_ulp, ulp_distance(expected.dtype, truth, a));
  }
  const double share = size / allowed;  // infinite where nothing is allowed
  const double own = allowed >= step ? share : size * spacing.inverse(truth);
  if (own > largest.least()) largest.add(own, static_cast<std::int64_t>(i));
}

void Pass::judge(std::size_t i) {
  const double truth = expected.truth[i], low = expected.low[i], high = expected.high[i], a = actual[i];
  if (!(low <= truth && truth <= high) && !std::isnan(truth)) wrong_interval(expected, i);
  const Fit fit = fit_of(truth, low, high, a);
  if (fit == Fit::ambiguous) {
    ++found.ambiguous;
    if (a != truth)
      found.smallest_atol = std::isfinite(a - truth) ? std::max(found.smallest_atol, std::abs(a - truth)) : infinity;
    return;
  }
  const double per_step = spacing.inverse(truth);
  const double limit = std::max(high - truth, truth - low);
  if (limit > 0 && limit < infinity) found.limit_ulp = std::max(found.limit_ulp, limit * per_step);
  if (!expected.half_width.empty() && std::isfinite(expected.half_width[i]))
    found.rigorous_limit_ulp = std::max(found.rigorous_limit_ulp, expected.half_width[i] * per_step);
  if (fit == Fit::outside) found.bad.push_back(static_cast<std::int64_t>(i));
  if (a == truth) {
    ++compared;
    return;
  }
  if (std::isnan(truth) && std::isnan(a)) return;
  ++found.flips;
  const double difference = a - truth;
  if (nonfinite_mismatch(truth, a)) {
    found.smallest_atol = infinity;
    if (fit != Fit::outside) return;  // an overflow that the interval allows
    ++found.nonfinite;
    found.max_abs = found.used = infinity;
    found.max_ulp = std::numeric_limits<std::int64_t>::max();
    largest.add(infinity, static_cast<std::int64_t>(i));
    return;
  }
  ++compared;
  const double size = std::abs(difference);
  found.max_abs = std::max(found.max_abs, size);
  found.smallest_atol = std::max(found.smallest_atol, size);
  sum_ulp += difference * per_step;
  sum_magnitude_ulp += (truth < 0 || (truth == 0 && a < 0) ? -difference : difference) * per_step;
  const double allowed = difference > 0 ? high - truth : truth - low;
  found.used = std::max(found.used, size / allowed);
  score(i, size, allowed);
}

double largest_of(const Lanes8& lanes) { return *std::ranges::max_element(lanes.at); }

double total(const Lanes8& lanes) {
  double sum = 0;
  for (const double lane : lanes.at) sum += lane;
  return sum;
}

void add(const Inspected& sums, Pass& pass) {
  Elements& found = pass.found;
  found.flips += static_cast<std::int64_t>(total(sums.flips));
  found.max_abs = std::max(found.max_abs, largest_of(sums.max_abs));
  found.smallest_atol = std::max(found.smallest_atol, largest_of(sums.max_abs));
  found.used = std::max(found.used, largest_of(sums.used));
  found.limit_ulp = std::max(found.limit_ulp, largest_of(sums.limit_ulp));
  found.rigorous_limit_ulp = std::max(found.rigorous_limit_ulp, largest_of(sums.half_width_ulp));
  pass.sum_ulp += total(sums.ulps);
  pass.sum_magnitude_ulp += total(sums.magnitude_ulps);
}

// Eight at a time where they are finite and inside, one at a time where not.
void inspect(Pass& pass) {
  constexpr std::size_t together = 512;
  const Expected& expected = pass.expected;
  MomentRule rule = {};
  rule.storage = pass.spacing.parameters();
  const std::size_t n = pass.actual.size(), whole = n / moment_lanes * moment_lanes;
  std::array<Eight, together / moment_lanes> eights;
  Inspected sums;
  for (std::size_t first = 0; first < whole; first += together) {
    const std::size_t length = std::min(together, whole - first);
    const Elements8 elements = {expected.truth.data() + first,
                                expected.low.data() + first,
                                expected.high.data() + first,
                                expected.half_width.empty() ? nullptr : expected.half_width.data() + first,
                                pass.actual.data() + first,
                                nullptr,
                                nullptr,
                                length};
    moment_loops().inspect(rule, elements, eights.data(), sums);
    for (std::size_t g = 0; g < length / moment_lanes; ++g) {
      const std::size_t begin = first + g * moment_lanes;
      const Eight& eight = eights[g];
      if (eight.plain) pass.compared += moment_lanes;
      const bool look = eight.score > pass.largest.least() || eight.ulps > static_cast<double>(pass.found.max_ulp);
      for (std::size_t i = begin; i < begin + moment_lanes; ++i) {
        if (!eight.plain) {
          pass.judge(i);
        } else if (look && pass.actual[i] != expected.truth[i]) {
          const double difference = pass.actual[i] - expected.truth[i];
          const double allowed =
              difference > 0 ? expected.high[i] - expected.truth[i] : expected.truth[i] - expected.low[i];
          pass.score(i, std::abs(difference), allowed);
        }
      }
    }
  }
  for (std::size_t i = whole; i < n; ++i) pass.judge(i);
  add(sums, pass);
}

}  // namespace

Elements judge_elements(const Expected& expected, std::span<const double> actual, int top) {
  Pass pass{expected, actual, Spacing(expected.dtype), Largest(top)};
  inspect(pass);
  Elements& found = pass.found;
  const bool intervals = !expected.half_width.empty();
  if (pass.compared > 0) {
    found.mean_ulp = pass.sum_ulp / static_cast<double>(pass.compared);
    found.mean_magnitude_ulp = pass.sum_magnitude_ulp / static_cast<double>(pass.compared);
  }
  // The candidate may be rigorous · half_width from the unrounded truth; its rounding and truth's own are half an ulp
  // each, and storage values are whole ulps apart.
  found.rigorous_limit_ulp =
      intervals && expected.rigorous > 0
          ? std::max(found.limit_ulp, std::floor(1 + expected.rigorous * found.rigorous_limit_ulp))
          : 0;
  found.worst = found.bad.empty() ? pass.largest.places() : worst_of(expected, actual, found.bad, top);
  return std::move(found);
}

}  // namespace fusecheck::verify
