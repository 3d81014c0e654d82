// The judge: truth, interval and candidate in, verdict out. It knows no ops and runs nothing (NUMERICS.md J6, J7, J11).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fusecheck/dtype.hpp"
#include "fusecheck/shape.hpp"

namespace fusecheck {

enum class Status : std::uint8_t { pass, skip, weak, error, fail };  // ascending: worse is larger
std::string_view name_of(Status status);
Status worse(Status a, Status b);

// What legal orders of a whole schedule were seen to do to one output (J7), over its elements.
struct WholeRuns {
  double flips = 0;  // largest share of elements whose bits differ from truth
  double rms = 0;    // largest root mean square of (value - truth) / (half-width + ulp)
  double reach = 0;  // share of the elements that one element of a stored operand enters
};

// What an output should be. All arrays have element_count(shape) elements and hold storage values of `dtype`.
struct Expected {
  Shape shape = {};
  DType dtype = DType::f32;
  std::vector<double> truth = {};           // the recipe's truth, rounded to storage
  std::vector<double> low = {}, high = {};  // legal storage values lie in [low, high]; truth does. NaN truth: both NaN
  // Before the last rounding: the unrounded value, and the half-width of its interval. Empty where unknown (files).
  std::vector<double> exact = {};
  std::vector<double> half_width = {};
  double typical = 0;  // largest over the calibration orders of mean|error| / half-width (J4); 0: nothing calibrated
  double typical_bias = 0;  // largest over the calibration orders of |mean error / half-width|
  double typical_rms = 0;   // largest over the calibration orders of rms(error / half-width)
  // As typical_bias, of error toward larger magnitude (times the sign of truth); 0: not calibrated, so not judged.
  double typical_bias_magnitude = 0;
  std::optional<WholeRuns> whole_runs = {};
  double rigorous = 0;         // rigorous / calibrated limit: shown beside it (J4); 0 unknown
  std::int64_t ambiguous = 0;  // elements where overflow makes anything legal
  std::int64_t uncertified = 0;  // elements whose truth is not proven to be correctly rounded (J5)
  // Statistics run over these groups, numbered 0 to at most n-1 (J7); empty: distinct truth values.
  std::vector<std::int32_t> group = {};
  // Why this output is exempt from `weak` (zeros by construction, identities); empty: it is not.
  std::string structural = {};
};

// A named acceptance standard with its numbers and source. `bound` is the default and needs no numbers.
struct Tolerance {
  std::string name = "bound";  // bound, exact, ulp, mixed, cann-mixed-2026-07, cann-mere-mare-2026-04, ...
  double atol = 0, rtol = 0;
  std::int64_t max_ulp = 0;
  bool operator==(const Tolerance&) const = default;
};
Tolerance parse_tolerance(std::string_view text);  // "ulp:4", "mixed:1e-3,1e-5", "bound"; usage error otherwise
std::string to_text(const Tolerance& tolerance);
struct ToleranceDescription {
  std::string name, rule, source;
};
std::vector<ToleranceDescription> list_tolerances();

struct WorstElement {
  std::vector<std::int64_t> index;
  double actual = 0, truth = 0, low = 0, high = 0;
  std::int64_t ulp = 0;  // distance from truth
};

// Where the bad elements are, in words and numbers.
struct Where {
  std::vector<std::string> lines;  // "every bad element has w in [48,56)", "channel 3 only", "border only", ...
  std::vector<std::vector<std::int64_t>> per_axis;  // bad elements per index of each axis
  std::int64_t border = 0, interior = 0;            // rank >= 3: on the edge of the last two axes, or not
};

struct Judgement {
  Status status = Status::pass;
  std::string reason = {};  // empty on pass
  std::int64_t n = 0, bad = 0, nonfinite_mismatch = 0;
  double max_abs = 0;             // largest |actual - truth|
  std::int64_t max_ulp = 0;       // largest ULP distance from truth
  double limit_ulp = 0;           // largest distance from truth to low or high, in ULP of the truth
  double rigorous_limit_ulp = 0;  // what |truth - candidate| <= rigorous · half_width allows, roundings included
  double used = 0;                // largest |actual - truth| / distance from truth to the end on that side
  std::int64_t ambiguous = 0;     // elements where anything is legal; over 1 % of n: weak
  // Elements whose bits differ from truth for a legal order: what whole runs of legal orders flip at most where those are
  // known (flips_seen), else an upper estimate from the half-widths.
  double flips_predicted = 0;
  bool flips_seen = false;
  std::int64_t flips_observed = 0;
  double flips_limit = 0;      // over groups, each counting as its share of flips; 0: flips are not judged
  double flips_in_groups = 0;  // what flips_limit is compared with
  // Of (actual - truth) / (half_width + ulp), over independent groups: at most 1 for an element that J6 passes.
  double rms = 0, mean = 0, rms_limit = 0, mean_limit = 0;
  double mean_ulp = 0;            // signed mean of (actual - truth) in ULP
  double mean_magnitude_ulp = 0;  // the same of |actual| - |truth|: negative is toward zero
  std::int64_t groups = 0;        // independent groups that the statistics ran over
  bool statistics_judged = false;
  double smallest_visible = 0;  // smallest relative fault d that flips would show: J7; 0 under another standard
  std::vector<WorstElement> worst = {};
  Where where = {};
  // Each named standard that needs no parameter, beside the one that decided: name, passed. One that cannot judge here
  // (cann-cross without a third implementation) is absent.
  std::vector<std::pair<std::string, bool>> standards = {};
  double smallest_atol = 0;  // smallest atol alone that would pass; what `mixed:0,atol` would need
};

struct JudgeOptions {
  Tolerance tolerance = {};
  int top = 5;
  bool statistics = true;
  bool standards = true;                     // fill Judgement::standards
  std::vector<std::string> axes = {};        // names of the axes; empty: by rank (c | n,c | n,c,w | n,c,h,w)
  Shape tile = {};                           // of the kernel, on the last axes: where says which tiles are bad
  std::span<const double> third_party = {};  // another implementation's output, as cann-cross-* wants; may be empty
};

// Judges `actual` (storage values of expected.dtype, one per element). Statistics decide under `bound` only; under any
// other tolerance, `bad` counts the elements outside that standard and its own rule decides. Weak here means: no
// elements, or over 1 % ambiguous; what J11 asks beyond that is passing_impostors and vacuous_share.
// Internal error: sizes that do not agree with the shape, or a truth outside its own interval.
Judgement judge(const Expected& expected, std::span<const double> actual, const JudgeOptions& options = {});

// J11: would something that is certainly wrong pass? Each named impostor is judged; the names that pass come back.
struct Impostor {
  std::string name;
  std::vector<double> values;
};
// Decided by what decides the verdict: options.tolerance, so that a limit wide enough for zeros makes the output weak.
std::vector<std::string> passing_impostors(const Expected& expected, const std::vector<Impostor>& impostors,
                                           const JudgeOptions& options);
// Share of elements whose half-interval exceeds |truth|: over 0.5 is weak (J11). An element whose half-interval is
// within 16 of the smallest subnormal counts as neither: nothing finer could be asked where a softmax underflows.
double vacuous_share(const Expected& expected);

}  // namespace fusecheck
