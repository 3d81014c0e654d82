// ConvBnAddRelu: y = relu(gamma·(conv(x, w) + b - mean)/sqrt(var + eps) + beta + residual).
#include <gtest/gtest.h>

#include "conv_bn_examples.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::infer_example;
using testing::together;
using testing::train_example;
using testing::with;

// 9 - 10 = -1: the residual decides the sign, and its gradient stops too.
TEST(ConvBnAddRelu, WorkedExample) {
  expect_outputs(
      with(infer_example("ConvBnAddRelu", 1), "residual", {-10}),
      {{"y", {0}}, {"dx", {0}}, {"dw", {0}}, {"dgamma", {0}}, {"dbeta", {0}}, {"dresidual", {0}}, {"mask", {0}}});
}

// z = -1 and -1 + 5 = 4: relu comes after the sum, or this would be 5 with no gradient behind it.
TEST(ConvBnAddRelu, TheResidualCanLiftANegativeZ) {
  expect_outputs(with(infer_example("ConvBnAddRelu", -9), "residual", {5}),
                 {{"y", {4}}, {"dx", {4}}, {"dw", {6}}, {"dgamma", {2}}, {"dbeta", {1}}, {"dresidual", {1}}});
}

// z + residual = [0,0,0,4] + [0,-1,0,0] is positive in the last place only: dz = dresidual = [0,0,0,4].
TEST(ConvBnAddRelu, Training) {
  expect_outputs(with(train_example("ConvBnAddRelu"), "residual", {0, -1, 0, 0}),
                 together({{"y", {0, 0, 0, 4}}, {"dresidual", {0, 0, 0, 4}}, {"mask", {0, 0, 0, 1}}},
                          together(testing::train_statistics(), testing::train_gradients_behind_relu())));
}

// With 1 added everywhere all are positive, and dz is all of dy.
TEST(ConvBnAddRelu, TrainingWithNothingMasked) {
  expect_outputs(with(train_example("ConvBnAddRelu"), "residual", {1, 1, 1, 1}),
                 together({{"y", {1, 1, 1, 5}}, {"dresidual", {4, 0, 0, 4}}},
                          together(testing::train_statistics(), testing::train_gradients_of_dy())));
}

}  // namespace
}  // namespace fusecheck
