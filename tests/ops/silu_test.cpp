// silu: y = x·σ(x).
#include <gtest/gtest.h>

#include <limits>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Silu, WorkedExample) {
  const OpExample example = {.op = "silu", .shapes = {{"x", {1}}}, .attrs = {}, .inputs = {{"x", {0}}, {"dy", {4}}}};
  expect_outputs(example, {{"y", {0}}, {"dx", {2}}});
}

TEST(Silu, Infinity) {
  const OpExample example = {
      .op = "silu", .shapes = {{"x", {2}}}, .attrs = {}, .inputs = {{"x", {kInfinity, kNan}}, {"dy", {1, 1}}}};
  expect_outputs(example, {{"y", {kInfinity, kNan}}});
}

}  // namespace
}  // namespace fusecheck
