// The CANN commercial standard: no worse than a third implementation, by factors.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "fusecheck/error.hpp"
#include "verify/element_rules.hpp"
#include "verify/standards.hpp"

namespace fusecheck::verify {
namespace {

struct Level {
  std::string_view name;
  double max, mean, rms;  // largest ratios of MARE, MERE and RMSE
};

// Domain borders of |truth|, and what counts as an error below; f64 is taken as f32.
constexpr PerType small_values = {0x1p-11, 0x1p-8, 0x1p-14, 0x1p-14};
constexpr PerType small_errors = {0x1p-16, 0x1p-16, 0x1p-30, 0x1p-30};

// One implementation against truth.
struct CrossErrors {
  double max = 0, mean = 0, rms = 0;  // of rel where |truth| >= S
  double small = 0;                   // elements with |a - t| > E where |truth| < S
};

CrossErrors errors_of(DType dtype, std::span<const double> truth, std::span<const double> actual) {
  constexpr double floor = 1e-7;
  const double border = small_values.of(dtype), tolerated = small_errors.of(dtype);
  CrossErrors errors;
  double large = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (!both_finite(truth[i], actual[i])) continue;
    const double error = std::abs(actual[i] - truth[i]), size = std::abs(truth[i]);
    if (size < border) {
      errors.small += error > tolerated ? 1 : 0;
      continue;
    }
    const double relative = error / (size + floor);
    ++large;
    errors.max = std::max(errors.max, relative);
    errors.mean += relative;
    errors.rms += relative * relative;
  }
  if (large > 0) {
    errors.mean /= large;
    errors.rms = std::sqrt(errors.rms / large);
  }
  return errors;
}

// The denominator is floored at S; nothing against nothing is 1.
double ratio(double ours, double theirs, double floor) {
  if (ours == 0 && theirs == 0) return 1;
  return ours / std::max(theirs, floor);
}

StandardVerdict apply_cross(const StandardInput& input, const Level& level) {
  const std::span<const double> third = input.third_party;
  if (third.empty()) {
    return {
        false, false, std::string(level.name) + " compares with a third implementation, and there is none here", {}};
  }
  if (third.size() != input.actual.size()) internal_error("judge: the third implementation's output has another size");
  if (!is_floating(input.dtype)) return apply_exact(input);
  Outside outside;
  for (std::size_t i = 0; i < input.actual.size(); ++i) {
    const double t = input.truth[i], a = input.actual[i];
    if (both_finite(t, a) || agree(t, a) || agree(third[i], a)) continue;
    ++outside.count;
    if (input.places) outside.places.push_back(static_cast<std::int64_t>(i));
  }
  if (outside.count > 0)
    return failed("NaN or Inf where neither truth nor the third implementation has it", std::move(outside));
  const CrossErrors ours = errors_of(input.dtype, input.truth, input.actual);
  const CrossErrors theirs = errors_of(input.dtype, input.truth, third);
  const double floor = small_values.of(input.dtype);
  struct Test {
    std::string_view name;
    double value, limit;
  };
  const std::array<Test, 4> tests = {{{"MARE", ratio(ours.max, theirs.max, floor), level.max},
                                      {"MERE", ratio(ours.mean, theirs.mean, floor), level.mean},
                                      {"RMSE", ratio(ours.rms, theirs.rms, floor), level.rms},
                                      {"small-value error", ours.small / std::max(theirs.small, 1.0), 2}}};
  for (const Test& test : tests) {
    if (test.value <= test.limit) continue;
    return failed(std::string(test.name) + " is " + rough(test.value) + " times the third implementation's, " +
                      rough(test.limit) + " allowed",
                  {});
  }
  return {};
}

}  // namespace

StandardVerdict apply_cann_cross_l0(const StandardInput& input) {
  return apply_cross(input, {"cann-cross-l0", 10, 2, 2});
}
StandardVerdict apply_cann_cross_l1(const StandardInput& input) {
  return apply_cross(input, {"cann-cross-l1", 5, 1.5, 1.5});
}
StandardVerdict apply_cann_cross_l2(const StandardInput& input) {
  return apply_cross(input, {"cann-cross-l2", 2, 1.2, 1.2});
}

}  // namespace fusecheck::verify
