// ConvBnReluAdd: y = relu(gamma·(conv(x, w) + b - mean)/sqrt(var + eps) + beta) + residual.
#include <gtest/gtest.h>

#include "conv_bn_examples.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::infer_example;
using testing::together;
using testing::train_example;
using testing::with;

// z = -1: y is the residual, whose gradient is dy all the same.
TEST(ConvBnReluAdd, WorkedExample) {
  expect_outputs(
      with(infer_example("ConvBnReluAdd", -9), "residual", {5}),
      {{"y", {5}}, {"dx", {0}}, {"dw", {0}}, {"dgamma", {0}}, {"dbeta", {0}}, {"dresidual", {1}}, {"mask", {0}}});
}

// z = 9 and residual = -10: relu comes before the sum, so y is negative and gradients flow.
TEST(ConvBnReluAdd, TheOutputCanBeNegative) {
  expect_outputs(with(infer_example("ConvBnReluAdd", 1), "residual", {-10}),
                 {{"y", {-1}}, {"dx", {4}}, {"dw", {6}}, {"dgamma", {2}}, {"dbeta", {1}}, {"dresidual", {1}}});
}

TEST(ConvBnReluAdd, Training) {
  expect_outputs(with(train_example("ConvBnReluAdd"), "residual", {8, 16, 32, 64}),
                 together({{"y", {8, 16, 32, 68}}, {"dresidual", {4, 0, 0, 4}}, {"mask", {0, 0, 0, 1}}},
                          together(testing::train_statistics(), testing::train_gradients_behind_relu())));
}

}  // namespace
}  // namespace fusecheck
