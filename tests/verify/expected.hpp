// Expectations made by hand for the judge's tests.
#pragma once

#include <vector>

#include "fusecheck/judge.hpp"

namespace fusecheck::testing {

// Truth with the same distance to both ends everywhere; no statistics.
inline Expected within(Shape shape, DType dtype, std::vector<double> truth, double distance) {
  Expected expected{.shape = std::move(shape), .dtype = dtype, .truth = std::move(truth)};
  for (const double t : expected.truth) {
    expected.low.push_back(t - distance);
    expected.high.push_back(t + distance);
  }
  return expected;
}

inline Expected constant(Shape shape, double value, double distance = 0) {
  const auto n = static_cast<std::size_t>(element_count(shape));
  return within(std::move(shape), DType::f32, std::vector<double>(n, value), distance);
}

}  // namespace fusecheck::testing
