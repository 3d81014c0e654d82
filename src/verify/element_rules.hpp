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

// Equal (-0 and +0 are), or both NaN.
inline bool agree(double truth, double actual) { return truth == actual || (std::isnan(truth) && std::isnan(actual)); }

inline bool both_finite(double truth, double actual) { return std::isfinite(truth) && std::isfinite(actual); }

// numpy.isclose with equal_nan: asymmetric, truth is the reference.
inline bool is_close(double truth, double actual, double rtol, double atol) {
  return agree(truth, actual) ||
         (both_finite(truth, actual) && std::abs(actual - truth) <= atol + rtol * std::abs(truth));
}

// Elements where inside(truth, actual) is false.
template <typename Inside>
std::vector<std::int64_t> outside_of(const StandardInput& input, Inside inside) {
  std::vector<std::int64_t> outside;
  for (std::size_t i = 0; i < input.actual.size(); ++i) {
    if (!inside(input.truth[i], input.actual[i])) outside.push_back(static_cast<std::int64_t>(i));
  }
  return outside;
}

inline StandardVerdict failed(std::string reason, std::vector<std::int64_t> outside) {
  return {true, false, std::move(reason), std::move(outside)};
}

// Passes when nothing is outside; `rule` is what an element breaks.
inline StandardVerdict all_inside(std::vector<std::int64_t> outside, std::size_t n, const std::string& rule) {
  if (outside.empty()) return {};
  std::string reason =
      count_text(std::ssize(outside)) + " of " + count_text(static_cast<std::int64_t>(n)) + " elements " + rule;
  return failed(std::move(reason), std::move(outside));
}

}  // namespace fusecheck::verify
