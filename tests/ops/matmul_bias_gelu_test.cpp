// MatMulBiasGelu: y = gelu(x·w + b).
#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

// z = 1·2 + 2·(-1) + 0 = 0: gelu(0) = 0 and the slope is 1/2 in both forms, so dz = 4/2.
TEST(MatMulBiasGelu, WorkedExample) {
  OpExample example = {.op = "MatMulBiasGelu",
                       .shapes = {{"x", {1, 2}}, {"w", {2, 1}}},
                       .attrs = {},
                       .inputs = {{"x", {1, 2}}, {"w", {2, -1}}, {"b", {0}}, {"dy", {4}}}};
  const testing::Numbers expected = {{"y", {0}}, {"dx", {4, -2}}, {"dw", {2, 4}}, {"db", {2}}};
  expect_outputs(example, expected);
  example.attrs["approximate"] = {1};
  expect_outputs(example, expected);
}

}  // namespace
}  // namespace fusecheck
