// elu: y = x for x > 0, else alpha·(e^x - 1).
#include <gtest/gtest.h>

#include <limits>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Elu, WorkedExample) {
  const OpExample example = {
      .op = "elu", .shapes = {{"x", {2}}}, .attrs = {{"alpha", {0.5}}}, .inputs = {{"x", {2, 0}}, {"dy", {4, 4}}}};
  expect_outputs(example, {{"y", {2, 0}}, {"dx", {4, 2}}});
}

TEST(Elu, NanAndInfinity) {
  const OpExample example = {.op = "elu",
                             .shapes = {{"x", {3}}},
                             .attrs = {{"alpha", {0.5}}},
                             .inputs = {{"x", {kNan, kInfinity, -kInfinity}}, {"dy", {4, 4, 4}}}};
  expect_outputs(example, {{"y", {kNan, kInfinity, -0.5}}, {"dx", {kNan, 4, 0}}});
}

}  // namespace
}  // namespace fusecheck
