// MatMulBiasRelu: y = relu(x·w + b).
#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;

// z = [3 - 5, -1 + 2 + 2] = [-2, 3]: only the second passes.
TEST(MatMulBiasRelu, WorkedExample) {
  expect_outputs({.op = "MatMulBiasRelu",
                  .shapes = {{"x", {1, 2}}, {"w", {2, 2}}},
                  .attrs = {},
                  .inputs = {{"x", {1, 2}}, {"w", {3, -1, 0, 1}}, {"b", {-5, 2}}, {"dy", {1, -1}}}},
                 {{"y", {0, 3}}, {"dx", {1, -1}}, {"dw", {0, -1, 0, -2}}, {"db", {0, -1}}, {"mask", {0, 1}}});
}

}  // namespace
}  // namespace fusecheck
