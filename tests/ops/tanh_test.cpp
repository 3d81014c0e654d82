// tanh: y = tanh x.
#include <gtest/gtest.h>

#include <limits>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Tanh, WorkedExample) {
  const OpExample example = {.op = "tanh", .shapes = {{"x", {1}}}, .attrs = {}, .inputs = {{"x", {0}}, {"dy", {4}}}};
  expect_outputs(example, {{"y", {0}}, {"dx", {4}}});
}

TEST(Tanh, Limits) {
  const OpExample example = {.op = "tanh",
                             .shapes = {{"x", {3}}},
                             .attrs = {},
                             .inputs = {{"x", {-kInfinity, kInfinity, kNan}}, {"dy", {1, 1, 1}}}};
  expect_outputs(example, {{"y", {-1, 1, kNan}}, {"dx", {0, 0, kNan}}});
}

}  // namespace
}  // namespace fusecheck
