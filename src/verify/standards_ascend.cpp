// The acceptance standards of the Ascend software stack.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "verify/element_rules.hpp"
#include "verify/standards.hpp"

namespace fusecheck::verify {
namespace {

constexpr std::int64_t nowhere = -1;

// Position of the first element where NaN or Inf stand against something else.
std::int64_t first_mismatch(const StandardInput& input) {
  for (std::size_t i = 0; i < input.actual.size(); ++i) {
    if (nonfinite_mismatch(input.truth[i], input.actual[i])) return static_cast<std::int64_t>(i);
  }
  return nowhere;
}

std::string mismatch_text(std::int64_t at) {
  return "NaN or Inf against something else, first at element " + std::to_string(at);
}

bool sixteen_bits(DType dtype) { return size_of(dtype) == 2; }

double relative_error(double truth, double actual) {
  constexpr double floor = 1e-7;
  return std::abs(actual - truth) / (std::abs(truth) + floor);
}

}  // namespace

StandardVerdict apply_cann_mixed(const StandardInput& input) {
  if (!is_floating(input.dtype)) return apply_exact(input);
  constexpr PerType rtols = {0x1p-9, 0x1p-6, 0x1p-10, 0x1p-10};
  constexpr PerType atols = {0x1p-9, 0x1p-6, 0x1p-16, 0x1p-16};
  constexpr PerType limits = {0.1, 1, 0.01, 0.01};
  constexpr std::int64_t limit_ulp = 32;
  const double rtol = rtols.of(input.dtype), atol = atols.of(input.dtype), limit = limits.of(input.dtype);
  Outside outside = outside_of(input, [&](double t, double a) { return is_close(t, a, rtol, atol); });
  // 99 % inside; in integers, as 0.99 is no binary number.
  const std::int64_t n = input.size();
  if (100 * outside.count > n) {
    return failed(percent_text(outside.count, n) + " outside atol + rtol |truth|, 1 % allowed", std::move(outside));
  }
  const std::int64_t mismatch = outside.count > 0 ? first_mismatch(input) : nowhere;
  if (mismatch != nowhere) return failed(mismatch_text(mismatch), std::move(outside));
  if (largest_error(input) <= limit) return {true, true, "", std::move(outside)};
  for (std::size_t i = 0; i < input.actual.size(); ++i) {
    const double t = input.truth[i], a = input.actual[i];
    if (agree(t, a) || std::abs(a - t) <= limit || ulp_distance(input.dtype, t, a) <= limit_ulp) continue;
    return failed("element " + std::to_string(i) + " is " + rough(std::abs(a - t)) + " from truth, " + rough(limit) +
                      " or 32 ULP allowed",
                  std::move(outside));
  }
  return {true, true, "", std::move(outside)};
}

StandardVerdict apply_cann_mere_mare(const StandardInput& input) {
  if (!is_floating(input.dtype)) return apply_exact(input);
  constexpr PerType thresholds = {0x1p-10, 0x1p-7, 0x1p-13, 0x1p-13};
  const double threshold = thresholds.of(input.dtype);
  double sum = 0, largest = 0;
  std::int64_t mismatches = 0;
  for (std::size_t i = 0; i < input.actual.size(); ++i) {
    const double t = input.truth[i], a = input.actual[i];
    const bool equal = agree(t, a), finite = both_finite(t, a);
    const double relative = equal || !finite ? 0 : relative_error(t, a);
    mismatches += equal || finite ? 0 : 1;
    sum += relative;
    largest = std::max(largest, relative);
  }
  const double mean = sum / static_cast<double>(std::max<std::int64_t>(input.size(), 1));
  if (mismatches == 0 && mean < threshold && largest < 10 * threshold) return {};
  Outside outside =
      outside_of(input, [&](double t, double a) { return agree_or(relative_error(t, a) < 10 * threshold, t, a); });
  if (mismatches > 0) return failed(mismatch_text(first_mismatch(input)), std::move(outside));
  return failed(
      "MERE " + rough(mean) + " of " + rough(threshold) + ", MARE " + rough(largest) + " of " + rough(10 * threshold),
      std::move(outside));
}

StandardVerdict apply_ascendc_sample(const StandardInput& input) {
  if (!is_floating(input.dtype)) return apply_exact(input);
  const bool narrow = sixteen_bits(input.dtype);
  const double rtol = narrow ? 1e-3 : 1e-6, atol = narrow ? 1e-3 : 1e-9;
  const std::int64_t one_in = narrow ? 1'000 : 10'000;
  Outside outside = outside_of(input, [&](double t, double a) { return is_close(t, a, rtol, atol); });
  if (one_in * outside.count <= input.size()) return {true, true, "", std::move(outside)};
  return failed(
      percent_text(outside.count, input.size()) + " outside isclose, one in " + count_text(one_in) + " allowed",
      std::move(outside));
}

namespace {

// Cosine of the angle between the tensors, each scaled by its largest magnitude first. Both zero: 1; one zero: 0.
double cosine(std::span<const double> truth, std::span<const double> actual) {
  double largest_truth = 0, largest_actual = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    largest_truth = std::max(largest_truth, std::abs(truth[i]));
    largest_actual = std::max(largest_actual, std::abs(actual[i]));
  }
  if (largest_truth == 0 || largest_actual == 0) return largest_truth == largest_actual ? 1 : 0;
  double dot = 0, truth_squares = 0, actual_squares = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double t = truth[i] / largest_truth, a = actual[i] / largest_actual;
    dot += t * a;
    truth_squares += t * t;
    actual_squares += a * a;
  }
  return dot / (std::sqrt(truth_squares) * std::sqrt(actual_squares));
}

}  // namespace

StandardVerdict apply_msprobe(const StandardInput& input) {
  if (!is_floating(input.dtype)) return apply_exact(input);
  constexpr double largest_allowed = 1e-3, least_cosine = 0.99;
  const std::int64_t n = input.size(), one_in = sixteen_bits(input.dtype) ? 100 : 1'000;
  const double relative = 1 / static_cast<double>(one_in);
  constexpr double floor = 0x1p-52;  // eps of the reference's type, which is f64 here
  Outside outside = outside_of(
      input, [&](double t, double a) { return agree_or(std::abs(a - t) / (std::abs(t) + floor) < relative, t, a); });
  if (outside.count == 0) return {};
  const std::int64_t mismatch = first_mismatch(input);
  if (mismatch != nowhere) return failed(mismatch_text(mismatch), std::move(outside));
  const bool part = !input.all_actual.empty();
  const double similarity = part ? cosine(input.all_truth, input.all_actual) : cosine(input.truth, input.actual);
  // NaN in both, or Inf in both, leave no cosine: the elements decide.
  if (!std::isnan(similarity) && similarity <= least_cosine)
    return failed("cosine " + rough(similarity) + ", over 0.99 wanted", std::move(outside));
  const double largest = largest_error(input);
  // share inside > 1 - 1/one_in
  if (largest < largest_allowed || one_in * outside.count < n) return {true, true, "", std::move(outside)};
  return failed("relative error " + rough(relative) + " or more on " + percent_text(outside.count, n) +
                    " of the elements, under " + rough(100 * relative) + " % wanted",
                std::move(outside));
}

}  // namespace fusecheck::verify
