// Every direction, order, K order, instruction set and number of threads against the naive evaluation, bit for bit.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "engine/naive.hpp"
#include "engine/problems.hpp"

namespace fusecheck::engine {
namespace {

constexpr Direction kDirections[] = {Direction::forward, Direction::data_gradient, Direction::weight_gradient};

std::string label(const NamedGeometry& g, Direction direction, const NamedArithmetic& arithmetic) {
  return g.name + ", direction " + std::to_string(static_cast<int>(direction)) + ", " + arithmetic.name;
}

// The first output whose bits differ, or -1.
std::int64_t first_difference(const std::vector<float>& x, const std::vector<float>& y) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::bit_cast<std::uint32_t>(x[i]) != std::bit_cast<std::uint32_t>(y[i])) return static_cast<std::int64_t>(i);
  }
  return -1;
}

void check_all_paths(const NamedGeometry& g, Direction direction, const NamedArithmetic& named) {
  SCOPED_TRACE(label(g, direction, named));
  const Contraction problem{direction, g.geometry};
  const std::vector<float> a = drawn(problem.a_shape(), 1, named.operands);
  const std::vector<float> b = drawn(problem.b_shape(), 2, named.operands);
  std::vector<float> bias;
  if (direction == Direction::forward && g.geometry.oc % 2 == 1) bias = drawn({g.geometry.oc}, 3, named.operands);
  std::vector<float> expected(static_cast<std::size_t>(element_count(problem.output_shape())));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] = naive::value(problem, a, b, bias, static_cast<std::int64_t>(i), named.arithmetic);
  }
  for (const Simd simd : available_paths()) {
    for (const int threads : {1, 2, 7}) {
      const std::vector<float> got = contract(problem, a, b, bias, named.arithmetic, {threads, simd});
      ASSERT_EQ(got.size(), expected.size());
      const std::int64_t i = first_difference(got, expected);
      EXPECT_EQ(i, -1) << name_of(simd) << ", " << threads << " threads: output " << i << " is "
                       << got[static_cast<std::size_t>(i)] << ", not " << expected[static_cast<std::size_t>(i)];
    }
  }
}

class Bits : public testing::TestWithParam<std::size_t> {};

TEST_P(Bits, EqualTheNaiveEvaluation) {
  const NamedGeometry g = ragged_geometries()[GetParam()];
  for (const Direction direction : kDirections) {
    for (const NamedArithmetic& arithmetic : all_arithmetic()) check_all_paths(g, direction, arithmetic);
  }
}

INSTANTIATE_TEST_SUITE_P(Ragged, Bits, testing::Range(std::size_t{0}, ragged_geometries().size()),
                         [](const auto& instance) { return ragged_geometries()[instance.param].name; });

}  // namespace
}  // namespace fusecheck::engine
