// GroupNormSilu: y = silu(group_norm(x)).
#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

// z = 0 everywhere: silu'(0) = 1/2, so dz = dy/2.
TEST(GroupNormSilu, WorkedExample) {
  const OpExample example = {
      .op = "GroupNormSilu",
      .shapes = {{"x", {1, 4}}},
      .attrs = {{"eps", {0}}, {"num_groups", {2}}},
      .inputs = {{"x", {1, 3, 10, 6}}, {"gamma", {0, 0, 0, 0}}, {"beta", {0, 0, 0, 0}}, {"dy", {1, 0, 0, 2}}}};
  expect_outputs(example,
                 {{"y", {0, 0, 0, 0}}, {"dx", {0, 0, 0, 0}}, {"dgamma", {-0.5, 0, 0, -1}}, {"dbeta", {0.5, 0, 0, 1}}});
}

}  // namespace
}  // namespace fusecheck
