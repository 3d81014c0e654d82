// The judge: truth, interval and candidate in, verdict out. It knows no ops and runs nothing (JUDGING J6, J7, J11).
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

// What an output should be. All arrays have element_count(shape) elements and hold storage values of `dtype`.
struct Expected {
  Shape shape;
  DType dtype = DType::f32;
  std::vector<double> truth;  // the recipe's truth, rounded to storage
  std::vector<double> low, high;  // legal storage values lie in [low, high]; truth does. NaN truth: both NaN
  // Before the last rounding: the unrounded value, and the half-width of its interval. Empty where unknown (files).
  std::vector<double> exact;
  std::vector<double> half_width;
  double typical = 0;  // largest over the calibration orders of mean|error| / half-width (J4); 0: nothing calibrated
  double typical_bias = 0;  // largest over the calibration orders of |mean error / half-width|
  double typical_rms = 0;   // largest over the calibration orders of rms(error / half-width)
  double rigorous = 0;      // rigorous / calibrated limit: shown beside it (J4); 0 unknown
  std::int64_t ambiguous = 0;  // elements where overflow makes anything legal
  std::vector<std::int32_t> group;  // statistics run over these groups (J7); empty: distinct truth values
  std::string structural;  // why this output is exempt from `weak` (zeros by construction, identities); empty: it is not
};

// A named acceptance standard with its numbers and source (DESIGN 5). `bound` is the default and needs no numbers.
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
  std::int64_t border = 0, interior = 0;  // rank >= 3: on the edge of the last two axes, or not
};

struct Judgement {
  Status status = Status::pass;
  std::string reason;  // empty on pass
  std::int64_t n = 0, bad = 0, nonfinite_mismatch = 0;
  double max_abs = 0;           // largest |actual - truth|
  std::int64_t max_ulp = 0;     // largest ULP distance from truth
  double limit_ulp = 0;         // largest distance from truth to low or high, in ULP of the truth
  double rigorous_limit_ulp = 0;
  double used = 0;              // largest |actual - truth| / distance from truth to the end on that side
  double flips_predicted = 0;   // expected count of elements whose bits differ from truth, for a legal order
  std::int64_t flips_observed = 0;
  double rms = 0, mean = 0;     // of (actual - exact) / half_width, over independent groups
  double mean_ulp = 0;          // signed mean of (actual - truth) in ULP
  std::int64_t groups = 0;      // independent groups that the statistics ran over
  bool statistics_judged = false;
  double smallest_visible = 0;  // smallest relative fault d that flips would show: J7
  std::vector<WorstElement> worst;
  Where where;
  std::vector<std::pair<std::string, bool>> standards;  // each named standard beside the default: name, passed
  double smallest_atol = 0;     // smallest atol alone that would pass; what `mixed:0,atol` would need
};

struct JudgeOptions {
  Tolerance tolerance = {};
  int top = 5;
  bool statistics = true;
};

// Judges `actual` (storage values of expected.dtype, one per element).
Judgement judge(const Expected& expected, std::span<const double> actual, const JudgeOptions& options = {});

// J11: would something that is certainly wrong pass? Each named impostor is judged; the names that pass come back.
struct Impostor {
  std::string name;
  std::vector<double> values;
};
std::vector<std::string> passing_impostors(const Expected& expected, const std::vector<Impostor>& impostors,
                                           const JudgeOptions& options);
// Share of elements whose half-interval exceeds |truth|: over 0.5 is weak (J11).
double vacuous_share(const Expected& expected);

}  // namespace fusecheck
