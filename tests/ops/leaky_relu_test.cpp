// leaky_relu: y = x for x > 0, else alpha·x.
#include <gtest/gtest.h>

#include <limits>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(LeakyRelu, WorkedExample) {
  const OpExample example = {.op = "leaky_relu",
                             .shapes = {{"x", {3}}},
                             .attrs = {{"alpha", {0.25}}},
                             .inputs = {{"x", {-4, 0, 2}}, {"dy", {8, 8, 8}}}};
  expect_outputs(example, {{"y", {-1, 0, 2}}, {"dx", {2, 2, 8}}, {"mask", {0, 0, 1}}});
}

// max(x, alpha·x) would be another function here.
TEST(LeakyRelu, SlopeAboveOne) {
  const OpExample example = {.op = "leaky_relu",
                             .shapes = {{"x", {2}}},
                             .attrs = {{"alpha", {2}}},
                             .inputs = {{"x", {-4, 2}}, {"dy", {8, 8}}}};
  expect_outputs(example, {{"y", {-8, 2}}, {"dx", {16, 8}}});
}

TEST(LeakyRelu, NanAndInfinity) {
  const OpExample example = {.op = "leaky_relu",
                             .shapes = {{"x", {3}}},
                             .attrs = {{"alpha", {0.25}}},
                             .inputs = {{"x", {kNan, kInfinity, -kInfinity}}, {"dy", {4, 4, 4}}}};
  expect_outputs(example, {{"y", {kNan, kInfinity, -kInfinity}}, {"dx", {1, 4, 1}}});
}

}  // namespace
}  // namespace fusecheck
