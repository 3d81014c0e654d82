// exp: y = e^x.
#include <gtest/gtest.h>

#include <limits>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Exp, WorkedExample) {
  const OpExample example = {.op = "exp", .shapes = {{"x", {1}}}, .attrs = {}, .inputs = {{"x", {0}}, {"dy", {3}}}};
  expect_outputs(example, {{"y", {1}}, {"dx", {3}}});
}

TEST(Exp, Limits) {
  const OpExample example = {.op = "exp",
                             .shapes = {{"x", {3}}},
                             .attrs = {},
                             .inputs = {{"x", {-kInfinity, kInfinity, kNan}}, {"dy", {1, 1, 1}}}};
  expect_outputs(example, {{"y", {0, kInfinity, kNan}}, {"dx", {0, kInfinity, kNan}}});
}

}  // namespace
}  // namespace fusecheck
