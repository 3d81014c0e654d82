// rms_norm: y = x/√(mean(x²) + eps)·gamma.
#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

TEST(RmsNorm, WorkedExample) {
  const OpExample example = {.op = "rms_norm",
                             .shapes = {{"x", {1, 4}}},
                             .attrs = {{"eps", {0}}},
                             .inputs = {{"x", {1, -1, 1, 1}}, {"gamma", {2, 2, 2, 4}}, {"dy", {1, 0, 0, 0}}}};
  expect_outputs(example,
                 {{"y", {2, -2, 2, 4}}, {"dx", {1.5, 0.5, -0.5, -0.5}}, {"dgamma", {1, 0, 0, 0}}, {"saved_rstd", {1}}});
}

// rstd = 1/√eps = 2, dx = 2·gamma.
TEST(RmsNorm, ARowOfZeros) {
  const OpExample example = {.op = "rms_norm",
                             .shapes = {{"x", {1, 4}}},
                             .attrs = {{"eps", {0.25}}},
                             .inputs = {{"x", {0, 0, 0, 0}}, {"gamma", {1, 2, 3, 4}}, {"dy", {1, 1, 1, 1}}}};
  expect_outputs(example, {{"y", {0, 0, 0, 0}}, {"dx", {2, 4, 6, 8}}, {"dgamma", {0, 0, 0, 0}}});
}

}  // namespace
}  // namespace fusecheck
