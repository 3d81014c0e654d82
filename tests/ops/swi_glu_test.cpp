// SwiGlu: y = silu(a)·b.
#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

TEST(SwiGlu, WorkedExample) {
  const OpExample example = {
      .op = "SwiGlu", .shapes = {{"x", {2}}}, .attrs = {}, .inputs = {{"x", {0, 3}}, {"dy", {4}}}};
  expect_outputs(example, {{"y", {0}}, {"dx", {6, 0}}});
}

// The left half is the gate: silu(1) = 0.7310585786300049.
TEST(SwiGlu, TheLeftHalfIsTheGate) {
  const OpExample example = {
      .op = "SwiGlu", .shapes = {{"x", {2}}}, .attrs = {}, .inputs = {{"x", {1, 2}}, {"dy", {1}}}};
  EXPECT_NEAR(body_outputs(example).at("y").at(0), 2 * 0.7310585786300049, 1e-14);
}

}  // namespace
}  // namespace fusecheck
