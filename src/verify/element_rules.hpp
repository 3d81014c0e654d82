// What the standards have in common.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "verify/elements.hpp"
#include "verify/standards.hpp"
#include "verify/words.hpp"

namespace fusecheck::verify {

// A number per floating type. Integer and boolean outputs must be equal under every standard.
struct PerType {
  double f16, bf16, f32, f64;
  double of(DType dtype) const {
    return dtype == DType::f16 ? f16 : dtype == DType::bf16 ? bf16 : dtype == DType::f32 ? f32 : f64;
  }
};

// The predicates below compute every part before they combine them: without branches the loops over them vectorise.

// Equal (-0 and +0 are), or both NaN.
inline bool agree(double truth, double actual) {
  const bool equal = truth == actual, truth_nan = truth != truth, actual_nan = actual != actual;
  return equal || (truth_nan && actual_nan);
}

inline bool both_finite(double truth, double actual) {
  const bool truth_finite = std::abs(truth) < infinity, actual_finite = std::abs(actual) < infinity;
  return truth_finite && actual_finite;
}

// Agree, or are finite and satisfy `near`.
inline bool agree_or(bool near, double truth, double actual) {
  const bool equal = agree(truth, actual), finite = both_finite(truth, actual);
  return equal || (finite && near);
}

// numpy.isclose with equal_nan: asymmetric, truth is the reference.
inline bool is_close(double truth, double actual, double rtol, double atol) {
  return agree_or(std::abs(actual - truth) <= atol + rtol * std::abs(truth), truth, actual);
}

// Elements where inside(truth, actual) is false; their places only where the input asks for them.
template <typename Inside>
Outside outside_of(const StandardInput& input, Inside inside) {
  Outside outside;
  for (std::size_t i = 0; i < input.actual.size(); ++i) {
    outside.count += inside(input.truth[i], input.actual[i]) ? 0 : 1;
  }
  for (std::size_t i = 0; input.places && outside.count > 0 && i < input.actual.size(); ++i) {
    if (!inside(input.truth[i], input.actual[i])) outside.places.push_back(static_cast<std::int64_t>(i));
  }
  return outside;
}

// The largest |actual - truth| of elements that do not agree; NaN does not show here.
inline double largest_error(const StandardInput& input) {
  double largest = 0;
  for (std::size_t i = 0; i < input.actual.size(); ++i) {
    const double t = input.truth[i], a = input.actual[i];
    largest = std::max(largest, agree(t, a) ? 0 : std::abs(a - t));
  }
  return largest;
}

inline StandardVerdict failed(std::string reason, Outside outside) {
  return {true, false, std::move(reason), std::move(outside)};
}

// Passes when nothing is outside; `rule` is what an element breaks.
inline StandardVerdict all_inside(Outside outside, std::int64_t n, const std::string& rule) {
  if (outside.count == 0) return {};
  std::string reason = count_text(outside.count) + " of " + count_text(n) + " elements " + rule;
  return failed(std::move(reason), std::move(outside));
}

}  // namespace fusecheck::verify
