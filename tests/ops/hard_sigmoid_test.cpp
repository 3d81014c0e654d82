// hard_sigmoid: y = min(max(x + 3, 0), 6)/6.
#include <gtest/gtest.h>

#include <limits>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(HardSigmoid, WorkedExample) {
  const OpExample example = {.op = "hard_sigmoid",
                             .shapes = {{"x", {5}}},
                             .attrs = {},
                             .inputs = {{"x", {-4, -3, 0, 3, 5}}, {"dy", {12, 12, 12, 12, 12}}}};
  expect_outputs(example, {{"y", {0, 0, 0.5, 1, 1}}, {"dx", {0, 0, 2, 0, 0}}});
}

TEST(HardSigmoid, NanAndInfinity) {
  const OpExample example = {.op = "hard_sigmoid",
                             .shapes = {{"x", {3}}},
                             .attrs = {},
                             .inputs = {{"x", {kNan, kInfinity, -kInfinity}}, {"dy", {3, 3, 3}}}};
  expect_outputs(example, {{"y", {kNan, 1, 0}}, {"dx", {0, 0, 0}}});
}

}  // namespace
}  // namespace fusecheck
