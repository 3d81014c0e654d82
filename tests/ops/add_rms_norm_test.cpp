// AddRmsNorm: y = rms_norm(x1 + x2).
#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

TEST(AddRmsNorm, WorkedExample) {
  const OpExample example = {
      .op = "AddRmsNorm",
      .shapes = {{"x1", {1, 4}}},
      .attrs = {{"eps", {0}}},
      .inputs = {{"x1", {3, 1, 0, 2}}, {"x2", {-2, -2, 1, -1}}, {"gamma", {2, 2, 2, 4}}, {"dy", {1, 0, 0, 0}}}};
  expect_outputs(example, {{"y", {2, -2, 2, 4}},
                           {"dx1", {1.5, 0.5, -0.5, -0.5}},
                           {"dx2", {1.5, 0.5, -0.5, -0.5}},
                           {"dgamma", {1, 0, 0, 0}}});
}

}  // namespace
}  // namespace fusecheck
