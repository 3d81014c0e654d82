// softplus: y = ln(1 + e^x).
#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Softplus, WorkedExample) {
  const OpExample example = {
      .op = "softplus", .shapes = {{"x", {1}}}, .attrs = {}, .inputs = {{"x", {0}}, {"dy", {4}}}};
  expect_outputs(example, {{"dx", {2}}});
  EXPECT_DOUBLE_EQ(body_outputs(example).at("y").at(0), std::numbers::ln2);
}

TEST(Softplus, Limits) {
  const OpExample example = {.op = "softplus",
                             .shapes = {{"x", {3}}},
                             .attrs = {},
                             .inputs = {{"x", {-kInfinity, kInfinity, kNan}}, {"dy", {1, 1, 1}}}};
  expect_outputs(example, {{"y", {0, kInfinity, kNan}}, {"dx", {0, 1, kNan}}});
}

// e^100 is beyond f32; ln(1 + e^100) differs from 100 by e^-100 only.
TEST(Softplus, LargeArgumentsPass) {
  const OpExample example = {
      .op = "softplus", .shapes = {{"x", {1}}}, .attrs = {}, .inputs = {{"x", {100}}, {"dy", {1}}}};
  expect_outputs(example, {{"y", {100}}, {"dx", {1}}});
}

}  // namespace
}  // namespace fusecheck
