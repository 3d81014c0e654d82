// gelu: y = x·Φ(x).
#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

TEST(Gelu, WorkedExample) {
  const OpExample example = {.op = "gelu", .shapes = {{"x", {1}}}, .attrs = {}, .inputs = {{"x", {0}}, {"dy", {4}}}};
  expect_outputs(example, {{"y", {0}}, {"dx", {2}}});
}

TEST(Gelu, TanhForm) {
  const OpExample example = {
      .op = "gelu", .shapes = {{"x", {1}}}, .attrs = {{"approximate", {1}}}, .inputs = {{"x", {0}}, {"dy", {4}}}};
  expect_outputs(example, {{"y", {0}}, {"dx", {2}}});
}

// Φ(1) = 0.841344746068543 (tables of the normal distribution); the tanh form gives 0.8411919906082768 there: with
// y = √(2/π)·1.044715 = 0.8335655, (1 + tanh y)/2.
TEST(Gelu, TheTwoFormsDiffer) {
  OpExample example = {.op = "gelu", .shapes = {{"x", {1}}}, .attrs = {}, .inputs = {{"x", {1}}, {"dy", {1}}}};
  EXPECT_NEAR(body_outputs(example).at("y").at(0), 0.841344746068543, 1e-14);
  example.attrs["approximate"] = {1};
  EXPECT_NEAR(body_outputs(example).at("y").at(0), 0.8411919906082768, 1e-14);
}

}  // namespace
}  // namespace fusecheck
