// The verdict, from the element pass, the statistics or a named standard.
#include "fusecheck/judge.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "fusecheck/error.hpp"
#include "verify/elements.hpp"
#include "verify/standards.hpp"
#include "verify/statistics.hpp"
#include "verify/where.hpp"
#include "verify/words.hpp"

namespace fusecheck {
namespace {

using verify::count_text;
using verify::rough;

void check_size(std::string_view what, std::size_t size, std::size_t n, bool may_be_empty) {
  if (size == n || (may_be_empty && size == 0)) return;
  internal_error("judge: " + std::string(what) + " has " + std::to_string(size) + " elements, the shape " +
                 std::to_string(n));
}

void check_sizes(const Expected& expected, std::span<const double> actual) {
  const auto n = static_cast<std::size_t>(element_count(expected.shape));
  check_size("truth", expected.truth.size(), n, false);
  check_size("low", expected.low.size(), n, false);
  check_size("high", expected.high.size(), n, false);
  check_size("actual", actual.size(), n, false);
  check_size("exact", expected.exact.size(), n, true);
  check_size("half_width", expected.half_width.size(), n, true);
  check_size("group", expected.group.size(), n, true);
}

Judgement judgement_of(const verify::Elements& elements, const verify::Statistics& statistics) {
  Judgement j;
  j.bad = std::ssize(elements.bad);
  j.nonfinite_mismatch = elements.nonfinite;
  j.max_abs = elements.max_abs;
  j.max_ulp = elements.max_ulp;
  j.limit_ulp = elements.limit_ulp;
  j.rigorous_limit_ulp = elements.rigorous_limit_ulp;
  j.used = elements.used;
  j.ambiguous = elements.ambiguous;
  j.flips_observed = elements.flips;
  j.mean_ulp = elements.mean_ulp;
  j.mean_magnitude_ulp = elements.mean_magnitude_ulp;
  j.smallest_atol = elements.smallest_atol;
  j.flips_predicted = statistics.flips_predicted;
  j.flips_limit = statistics.flips_limit;
  j.flips_in_groups = statistics.flips;
  j.rms = statistics.rms;
  j.mean = statistics.mean;
  j.rms_limit = statistics.rms_limit;
  j.mean_limit = statistics.mean_limit;
  j.groups = statistics.groups;
  j.statistics_judged = statistics.judged || statistics.elements_judged;
  j.smallest_visible = statistics.smallest_visible;
  return j;
}

std::vector<WorstElement> describe(const Expected& expected, std::span<const double> actual,
                                   const std::vector<std::int64_t>& elements) {
  std::vector<WorstElement> worst;
  for (const std::int64_t at : elements) {
    const auto i = static_cast<std::size_t>(at);
    worst.push_back({index_of(at, expected.shape), actual[i], expected.truth[i], expected.low[i], expected.high[i],
                     ulp_distance(expected.dtype, expected.truth[i], actual[i])});
  }
  return worst;
}

std::string element_reason(const Judgement& j, const std::vector<std::string>& axes) {
  std::string text = count_text(j.bad) + " of " + count_text(j.n) + " elements outside their limit";
  if (j.nonfinite_mismatch > 0) {
    return text + ", " + count_text(j.nonfinite_mismatch) + " by a NaN or Inf that does not belong there";
  }
  if (j.worst.empty()) return text;
  const WorstElement& w = j.worst.front();
  return text + ", worst by " + count_text(w.ulp) + " ULP at " + verify::place_text(w.index, axes);
}

bool mostly_ambiguous(const Judgement& j) { return 100 * j.ambiguous > j.n; }  // J6: over 1 %

// J5 to J7 decide.
void decide_by_bound(const Expected& expected, std::span<const double> actual, const verify::Statistics& statistics,
                     const std::vector<std::string>& axes, Judgement& j) {
  if (j.bad > 0) {
    j.status = Status::fail;
    j.reason = element_reason(j, axes);
  } else if (!statistics.passed()) {
    j.status = Status::fail;
    j.reason = verify::statistics_reason(statistics, expected, actual, j.mean_ulp, j.mean_magnitude_ulp);
  } else if (mostly_ambiguous(j)) {
    j.status = Status::weak;
    j.reason = "anything is legal at " + count_text(j.ambiguous) + " of " + count_text(j.n) +
               " elements, where the sum may overflow (1 % allowed)";
  }
}

void decide_by_standard(const verify::StandardInput& input, Judgement& j, std::vector<std::int64_t>& bad) {
  verify::StandardVerdict verdict = verify::find_standard(input.tolerance.name).apply(input);
  bad = std::move(verdict.outside.places);
  j.bad = std::ssize(bad);
  j.nonfinite_mismatch = std::ranges::count_if(bad, [&](std::int64_t at) {
    return verify::nonfinite_mismatch(input.truth[static_cast<std::size_t>(at)],
                                      input.actual[static_cast<std::size_t>(at)]);
  });
  j.status = !verdict.judged ? Status::error : verdict.passed ? Status::pass : Status::fail;
  if (j.status != Status::pass) j.reason = to_text(input.tolerance) + ": " + verdict.reason;
}

// Most elements equal truth, which satisfies every rule: only the others are looked at a dozen times.
std::vector<std::pair<std::string, bool>> all_beside(const verify::StandardInput& all) {
  std::vector<double> truth, actual;
  for (std::size_t i = 0; i < all.actual.size(); ++i) {
    if (all.actual[i] == all.truth[i]) continue;
    truth.push_back(all.truth[i]);
    actual.push_back(all.actual[i]);
  }
  const verify::StandardInput input{all.dtype, truth, actual, {}, all.tolerance, false, all.truth, all.actual};
  std::vector<std::pair<std::string, bool>> results;
  for (const verify::Standard& standard : verify::all_standards()) {
    if (standard.beside) results.emplace_back(standard.name, standard.apply(input).passed);
  }
  return results;
}

}  // namespace

std::string_view name_of(Status status) {
  constexpr std::array<std::string_view, 5> names = {"pass", "skip", "weak", "error", "fail"};
  return names[static_cast<std::size_t>(status)];
}

Status worse(Status a, Status b) { return std::max(a, b); }

Judgement judge(const Expected& expected, std::span<const double> actual, const JudgeOptions& options) {
  check_sizes(expected, actual);
  const std::vector<std::string> axes = verify::axis_names(expected.shape, options.axes);
  verify::Elements elements = verify::judge_elements(expected, actual, options.top);
  const verify::Statistics statistics =
      options.statistics ? verify::gather_statistics(expected, actual, axes) : verify::Statistics{};
  Judgement j = judgement_of(elements, statistics);
  j.n = std::ssize(actual);
  if (expected.whole_runs.has_value()) {
    j.flips_predicted = expected.whole_runs->flips * static_cast<double>(j.n);
    j.flips_seen = true;
  }
  j.ambiguous = std::max(j.ambiguous, expected.ambiguous);
  const verify::StandardInput input{expected.dtype,      expected.truth,    actual,
                                    options.third_party, options.tolerance, true};
  const bool bound = options.tolerance.name == Tolerance{}.name;
  if (!bound) {
    j.smallest_visible = 0;  // derived from the intervals, which do not decide here
    decide_by_standard(input, j, elements.bad);
    if (!elements.bad.empty()) elements.worst = verify::worst_of(expected, actual, elements.bad, options.top);
  }
  j.worst = describe(expected, actual, elements.worst);
  j.where = verify::find_where(expected.shape, elements.bad, axes);
  const std::string tiles = verify::tiles_text(expected.shape, elements.bad, options.tile);
  if (!tiles.empty()) j.where.lines.push_back(tiles);
  if (bound) decide_by_bound(expected, actual, statistics, axes, j);
  if (j.n == 0 && j.status == Status::pass) {
    j.status = Status::weak;
    j.reason = "no elements: nothing was compared";
  }
  if (options.standards) j.standards = all_beside(input);
  return j;
}

}  // namespace fusecheck
