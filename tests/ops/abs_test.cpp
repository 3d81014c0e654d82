// abs: y = |x|.
#include <gtest/gtest.h>

#include <limits>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Abs, WorkedExample) {
  const OpExample example = {
      .op = "abs", .shapes = {{"x", {3}}}, .attrs = {}, .inputs = {{"x", {-2, 0, 3}}, {"dy", {5, 5, 5}}}};
  expect_outputs(example, {{"y", {2, 0, 3}}, {"dx", {-5, 0, 5}}, {"mask", {0, 0, 1}}});
}

TEST(Abs, NanAndInfinity) {
  const OpExample example = {.op = "abs",
                             .shapes = {{"x", {3}}},
                             .attrs = {},
                             .inputs = {{"x", {kNan, kInfinity, -kInfinity}}, {"dy", {1, 1, 1}}}};
  expect_outputs(example, {{"y", {kNan, kInfinity, kInfinity}}, {"dx", {0, 1, -1}}});
}

}  // namespace
}  // namespace fusecheck
