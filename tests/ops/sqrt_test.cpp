// sqrt: y = √x.
#include <gtest/gtest.h>

#include <limits>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Sqrt, WorkedExample) {
  const OpExample example = {
      .op = "sqrt", .shapes = {{"x", {2}}}, .attrs = {}, .inputs = {{"x", {1, 16}}, {"dy", {4, 8}}}};
  expect_outputs(example, {{"y", {1, 4}}, {"dx", {2, 1}}});
}

TEST(Sqrt, Limits) {
  const OpExample example = {.op = "sqrt",
                             .shapes = {{"x", {4}}},
                             .attrs = {},
                             .inputs = {{"x", {0, kInfinity, -1, kNan}}, {"dy", {1, 1, 1, 1}}}};
  expect_outputs(example, {{"y", {0, kInfinity, kNan, kNan}}, {"dx", {kInfinity, 0, kNan, kNan}}});
}

}  // namespace
}  // namespace fusecheck
