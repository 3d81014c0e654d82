// log: y = ln x.
#include <gtest/gtest.h>

#include <limits>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Log, WorkedExample) {
  const OpExample example = {.op = "log", .shapes = {{"x", {1}}}, .attrs = {}, .inputs = {{"x", {1}}, {"dy", {3}}}};
  expect_outputs(example, {{"y", {0}}, {"dx", {3}}});
}

// 1/x is defined where ln x is not: dx is the arithmetic of its formula.
TEST(Log, Limits) {
  const OpExample example = {.op = "log",
                             .shapes = {{"x", {4}}},
                             .attrs = {},
                             .inputs = {{"x", {0, kInfinity, -1, kNan}}, {"dy", {1, 1, 1, 1}}}};
  expect_outputs(example, {{"y", {-kInfinity, kInfinity, kNan, kNan}}, {"dx", {kInfinity, 0, -1, kNan}}});
}

}  // namespace
}  // namespace fusecheck
