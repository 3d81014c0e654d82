// J6 and the figures that go with it, in one pass.
#include "verify/elements.hpp"

#include <algorithm>
#include <string>

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

Elements judge_elements(const Expected& expected, std::span<const double> actual, int top) {
  Elements found;
  const Spacing spacing(expected.dtype);
  Largest largest(top);
  double sum_ulp = 0, sum_magnitude_ulp = 0;
  std::int64_t compared = 0;
  const bool intervals = !expected.half_width.empty();
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double truth = expected.truth[i], low = expected.low[i], high = expected.high[i], a = actual[i];
    if (!(low <= truth && truth <= high) && !std::isnan(truth)) wrong_interval(expected, i);
    const Fit fit = fit_of(truth, low, high, a);
    if (fit == Fit::ambiguous) {
      ++found.ambiguous;
      if (a != truth)
        found.smallest_atol = std::isfinite(a - truth) ? std::max(found.smallest_atol, std::abs(a - truth)) : infinity;
      continue;
    }
    const double step = spacing(truth), per_step = spacing.inverse(truth);
    const double limit = std::max(high - truth, truth - low);
    if (limit > 0 && limit < infinity) found.limit_ulp = std::max(found.limit_ulp, limit * per_step);
    if (intervals && std::isfinite(expected.half_width[i]))
      found.rigorous_limit_ulp = std::max(found.rigorous_limit_ulp, expected.half_width[i] * per_step);
    if (fit == Fit::outside) found.bad.push_back(static_cast<std::int64_t>(i));
    if (a == truth) {
      ++compared;
      continue;
    }
    if (std::isnan(truth) && std::isnan(a)) continue;
    ++found.flips;
    const double difference = a - truth;
    if (nonfinite_mismatch(truth, a)) {
      found.smallest_atol = infinity;
      if (fit != Fit::outside) continue;  // an overflow that the interval allows
      ++found.nonfinite;
      found.max_abs = found.used = infinity;
      found.max_ulp = std::numeric_limits<std::int64_t>::max();
      largest.add(infinity, static_cast<std::int64_t>(i));
      continue;
    }
    ++compared;
    const double size = std::abs(difference);
    found.max_abs = std::max(found.max_abs, size);
    found.smallest_atol = std::max(found.smallest_atol, size);
    sum_ulp += difference * per_step;
    sum_magnitude_ulp += (truth < 0 || (truth == 0 && a < 0) ? -difference : difference) * per_step;
    const double allowed = difference > 0 ? high - truth : truth - low;
    const double share = size / allowed;  // infinite where nothing is allowed
    found.used = std::max(found.used, share);
    // No two neighbours between them are closer than the spacing at the smaller magnitude.
    const double closest = std::signbit(truth) == std::signbit(a) ? spacing(std::min(std::abs(a), std::abs(truth))) : 0;
    if (!(size <= static_cast<double>(found.max_ulp) * closest)) {
      found.max_ulp = std::max(found.max_ulp, ulp_distance(expected.dtype, truth, a));
    }
    const double score = allowed >= step ? share : size * per_step;
    if (score > largest.least()) largest.add(score, static_cast<std::int64_t>(i));
  }
  if (compared > 0) {
    found.mean_ulp = sum_ulp / static_cast<double>(compared);
    found.mean_magnitude_ulp = sum_magnitude_ulp / static_cast<double>(compared);
  }
  // The candidate may be rigorous · half_width from the unrounded truth; its rounding and truth's own are half an ulp
  // each, and storage values are whole ulps apart.
  found.rigorous_limit_ulp =
      intervals && expected.rigorous > 0
          ? std::max(found.limit_ulp, std::floor(1 + expected.rigorous * found.rigorous_limit_ulp))
          : 0;
  found.worst = found.bad.empty() ? largest.places() : worst_of(expected, actual, found.bad, top);
  return found;
}

}  // namespace fusecheck::verify
