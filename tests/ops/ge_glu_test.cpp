// GeGlu: y = a·gelu(b).
#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

TEST(GeGlu, WorkedExample) {
  const OpExample example = {
      .op = "GeGlu", .shapes = {{"x", {2}}}, .attrs = {}, .inputs = {{"x", {3, 0}}, {"dy", {4}}}};
  expect_outputs(example, {{"y", {0}}, {"dx", {0, 6}}});
}

// The right half is the gate: gelu(1) = 0.841344746068543.
TEST(GeGlu, TheRightHalfIsTheGate) {
  const OpExample example = {
      .op = "GeGlu", .shapes = {{"x", {2}}}, .attrs = {}, .inputs = {{"x", {2, 1}}, {"dy", {1}}}};
  EXPECT_NEAR(body_outputs(example).at("y").at(0), 2 * 0.841344746068543, 1e-14);
}

}  // namespace
}  // namespace fusecheck
