// log_softmax: y = x - max x - ln Σ e^(x - max x).
#include <gtest/gtest.h>

#include <numbers>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

TEST(LogSoftmax, WorkedExample) {
  const OpExample example = {
      .op = "log_softmax", .shapes = {{"x", {2}}}, .attrs = {}, .inputs = {{"x", {0, 0}}, {"dy", {1, 0}}}};
  const testing::Numbers outputs = body_outputs(example);
  for (const double y : outputs.at("y")) EXPECT_DOUBLE_EQ(y, -std::numbers::ln2);
  EXPECT_DOUBLE_EQ(outputs.at("dx").at(0), 0.5);
  EXPECT_DOUBLE_EQ(outputs.at("dx").at(1), -0.5);
}

// e^-1000 is 0 in f32 and f64: y = 0 and -1000, dx = dy - [1, 0]·3.
TEST(LogSoftmax, LargeLogits) {
  const OpExample example = {
      .op = "log_softmax", .shapes = {{"x", {2}}}, .attrs = {}, .inputs = {{"x", {1000, 0}}, {"dy", {1, 2}}}};
  expect_outputs(example, {{"y", {0, -1000}}, {"dx", {-2, 2}}});
}

}  // namespace
}  // namespace fusecheck
