// AddLayerNorm: y = layer_norm(x1 + x2).
#include <gtest/gtest.h>

#include <cmath>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

TEST(AddLayerNorm, WorkedExample) {
  const OpExample example = {.op = "AddLayerNorm",
                             .shapes = {{"x1", {1, 4}}},
                             .attrs = {{"eps", {0}}},
                             .inputs = {{"x1", {-1, 1, 2, 3}},
                                        {"x2", {1, -1, 2, 1}},
                                        {"gamma", {1, 2, 1, 4}},
                                        {"beta", {1, 0, 0, 0}},
                                        {"dy", {4, 0, 0, 0}}}};
  expect_outputs(example, {{"y", {0, -2, 1, 4}},
                           {"dx1", {1, -1, 0, 0}},
                           {"dx2", {1, -1, 0, 0}},
                           {"dgamma", {-4, 0, 0, 0}},
                           {"dbeta", {4, 0, 0, 0}},
                           {"s", {0, 0, 4, 4}}});
}

// s = 2048 + 1 is 2048 in f16 (ties to even). Rows [2049, 2047, ...]: the f32 sum has mean 2048 and xhat = 1, -1; read
// from the stored sum [2048, 2047] the mean is 2047.5 and d = 1/2, -1/2: eps = 1 tells them apart, 1/√2 and 1/√5.
TEST(AddLayerNorm, WhereTheSumIsRounded) {
  OpExample example = {
      .op = "AddLayerNorm",
      .shapes = {{"x1", {1, 2}}},
      .attrs = {{"eps", {1}}},
      .inputs = {{"x1", {2048, 2048}}, {"x2", {1, -1}}, {"gamma", {1, 1}}, {"beta", {0, 0}}, {"dy", {0, 0}}}};
  example.dtype = DType::f16;
  const double unrounded = round_to(DType::f16, 1 / std::sqrt(2.0)), rounded = round_to(DType::f16, 1 / std::sqrt(5.0));
  for (const char* schedule : {"fused", "ascend"}) {
    testing::expect_equal(emulated_outputs(example, schedule), {{"y", {unrounded, -unrounded}}}, schedule);
  }
  for (const char* schedule : {"unfused", "sum_stored"}) {
    testing::expect_equal(emulated_outputs(example, schedule), {{"y", {rounded, -rounded}}}, schedule);
  }
}

}  // namespace
}  // namespace fusecheck
