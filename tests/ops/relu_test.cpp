// relu: the skeleton to copy for a new op, together with kernels_ref/relu.cpp.
//
// A file like this holds what only a person can say about the op: the worked example of its header, the values at the
// edges of its definition, and what it refuses. It does not test rounding, recipes, other shapes or other types: the
// tests in tests/conformance do that for every op without being told.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::emulated_outputs;
using testing::expect_outputs;
using testing::OpExample;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// 1. The worked example of the op's header, forward and backward, with the numbers that a person worked out. Small
//    integers and powers of two: then nothing rounds, and the body and every recipe give the same numbers in each type.
TEST(Relu, WorkedExample) {
  const OpExample example = {
      .op = "relu", .shapes = {{"x", {3}}}, .attrs = {}, .inputs = {{"x", {-1, 0, 2}}, {"dy", {3, 3, 3}}}};
  expect_outputs(example, {{"y", {0, 0, 2}}, {"dx", {0, 0, 3}}, {"mask", {0, 0, 1}}});
}

// 2. Every value that the definition treats in a way of its own. A NaN is not above 0, so no gradient flows there.
TEST(Relu, NanAndInfinity) {
  const OpExample example = {.op = "relu",
                             .shapes = {{"x", {1, 3}}},
                             .attrs = {},
                             .inputs = {{"x", {kNan, kInfinity, -kInfinity}}, {"dy", {3, 3, 3}}}};
  expect_outputs(example, {{"y", {kNan, kInfinity, 0}}, {"dx", {0, 3, 0}}});
}

// Where a sign or a bit pattern matters, look at it: == does not tell -0 from +0.
TEST(Relu, NegativeZeroBecomesPositiveZero) {
  const OpExample example = {
      .op = "relu", .shapes = {{"x", {2}}}, .attrs = {}, .inputs = {{"x", {-0.0, -1}}, {"dy", {1, 1}}}};
  for (const testing::Numbers& outputs : {body_outputs(example), emulated_outputs(example)}) {
    for (const double y : outputs.at("y")) {
      EXPECT_EQ(y, 0);
      EXPECT_FALSE(std::signbit(y));
    }
  }
}

// The smallest positive values count as positive in each type: 2^-24 (f16), 2^-133 (bf16), 2^-149 (f32).
TEST(Relu, SubnormalsPass) {
  const std::vector<std::pair<DType, double>> smallest = {
      {DType::f16, 0x1p-24}, {DType::bf16, 0x1p-133}, {DType::f32, 0x1p-149}};
  for (const auto& [dtype, value] : smallest) {
    const OpExample example = {.op = "relu",
                               .shapes = {{"x", {2}}},
                               .attrs = {},
                               .inputs = {{"x", {value, -value}}, {"dy", {5, 5}}},
                               .dtype = dtype};
    testing::expect_equal(emulated_outputs(example), {{"y", {value, 0}}, {"dx", {5, 0}}}, "smallest subnormal");
  }
}

// 3. What the op refuses, with the message (relu takes any shape; add_test.cpp and conv2d_test.cpp have examples).

}  // namespace
}  // namespace fusecheck
