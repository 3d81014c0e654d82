// relu6: y = min(max(x, 0), 6).
#include <gtest/gtest.h>

#include <limits>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Relu6, WorkedExample) {
  const OpExample example = {
      .op = "relu6", .shapes = {{"x", {5}}}, .attrs = {}, .inputs = {{"x", {-1, 0, 2, 6, 8}}, {"dy", {3, 3, 3, 3, 3}}}};
  expect_outputs(example, {{"y", {0, 0, 2, 6, 6}}, {"dx", {0, 0, 3, 0, 0}}});
}

TEST(Relu6, NanAndInfinity) {
  const OpExample example = {.op = "relu6",
                             .shapes = {{"x", {3}}},
                             .attrs = {},
                             .inputs = {{"x", {kNan, kInfinity, -kInfinity}}, {"dy", {3, 3, 3}}}};
  expect_outputs(example, {{"y", {kNan, 6, 0}}, {"dx", {0, 0, 0}}});
}

}  // namespace
}  // namespace fusecheck
