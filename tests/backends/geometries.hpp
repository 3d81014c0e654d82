// Geometries that between them stress every number of a convolution: no two extents alike, tails everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/contraction.hpp"
#include "fusecheck/philox.hpp"

namespace fusecheck::testing {

struct NamedGeometry {
  std::string name;
  engine::Conv2dGeometry geometry;
};

inline std::vector<NamedGeometry> ragged_geometries() {
  //        n  c  h  w   oc kh kw  stride  pad t l b r  dilation groups
  return {
      {"plain", {2, 3, 7, 5, 4, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
      {"no_padding", {1, 5, 8, 6, 7, 2, 3, 1, 1, 0, 0, 0, 0, 1, 1, 1}},
      {"strided_asymmetric", {2, 17, 13, 11, 20, 3, 5, 2, 1, 0, 1, 2, 1, 1, 1, 1}},
      {"dilated", {1, 6, 11, 9, 5, 3, 2, 1, 2, 2, 1, 2, 1, 2, 1, 1}},
      {"groups", {2, 8, 6, 7, 12, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 4}},
      {"depthwise", {1, 6, 9, 7, 6, 3, 3, 2, 2, 1, 0, 1, 0, 1, 1, 6}},
      {"depthwise_multiplier", {2, 3, 5, 8, 6, 2, 3, 1, 1, 0, 1, 1, 1, 1, 2, 3}},
      {"pointwise", {2, 19, 5, 4, 17, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1}},
      {"pointwise_strided", {1, 16, 7, 9, 3, 1, 1, 3, 2, 0, 0, 0, 0, 1, 1, 1}},
      {"ignored_edge",
       {1, 4, 8, 8, 3, 3, 3, 3, 3, 0, 0, 0, 0, 1, 1, 1}},  // the last two rows and columns are read by no tap
      {"kernel_is_image", {3, 2, 4, 3, 5, 4, 3, 1, 1, 0, 0, 0, 0, 1, 1, 1}},
      {"padding_beyond_kernel", {1, 2, 3, 4, 3, 2, 2, 1, 1, 3, 2, 2, 3, 1, 1, 1}},
  };
}

inline const std::vector<engine::Direction>& all_directions() {
  static const std::vector<engine::Direction> list = {engine::Direction::forward, engine::Direction::data_gradient,
                                                      engine::Direction::weight_gradient};
  return list;
}

struct OperandSizes {
  std::size_t a = 0, b = 0, bias = 0;
  double terms = 0;  // K, padding taps included
};

// Counted here from the geometry, not asked of the engine.
inline OperandSizes sizes_of(const engine::Contraction& problem) {
  const engine::Conv2dGeometry& g = problem.geometry;
  const std::int64_t x = g.n * g.c * g.h * g.w, w = g.oc * (g.c / g.groups) * g.kh * g.kw;
  const std::int64_t y = g.n * g.oc * g.oh() * g.ow();
  const auto size = [](std::int64_t count) { return static_cast<std::size_t>(count); };
  if (problem.direction == engine::Direction::forward) {
    return {size(x), size(w), size(g.oc), static_cast<double>(g.c / g.groups * g.kh * g.kw)};
  }
  if (problem.direction == engine::Direction::data_gradient) {
    return {size(y), size(w), 0, static_cast<double>(g.oc / g.groups * g.kh * g.kw)};
  }
  return {size(x), size(y), 0, static_cast<double>(g.n * g.oh() * g.ow())};
}

// 24-bit multiples of 2^-23 in [-1, 1): exact in f32, and their products need all 48 bits of two f32 significands.
inline std::vector<double> full_width_values(std::size_t count, std::uint64_t seed, const char* stream) {
  const Philox rng(seed, stream);
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = 2.0 * rng.uniform(i) - 1.0;
  return values;
}

inline std::vector<double> magnitudes(const std::vector<double>& values) {
  std::vector<double> result(values);
  for (double& value : result) value = value < 0 ? -value : value;
  return result;
}

inline std::vector<float> narrowed(const std::vector<double>& values) {
  return std::vector<float>(values.begin(), values.end());
}

}  // namespace fusecheck::testing
