// ConvBnRelu: y = relu(gamma·(conv(x, w) + b - mean)/sqrt(var + eps) + beta).
#include <gtest/gtest.h>

#include "conv_bn_examples.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::infer_example;
using testing::together;
using testing::train_example;
using testing::with;

// z = 9 is positive: everything is ConvBn's.
TEST(ConvBnRelu, WorkedExample) {
  expect_outputs(infer_example("ConvBnRelu", 1),
                 {{"y", {9}}, {"dx", {4}}, {"dw", {6}}, {"dgamma", {2}}, {"dbeta", {1}}, {"mask", {1}}});
}

// z = 8 - 9 = -1.
TEST(ConvBnRelu, NegativeZStopsEverything) {
  expect_outputs(infer_example("ConvBnRelu", -9),
                 {{"y", {0}}, {"dx", {0}}, {"dw", {0}}, {"dgamma", {0}}, {"dbeta", {0}}, {"mask", {0}}});
}

// z = 8 - 8 = 0.
TEST(ConvBnRelu, DerivativeAtZeroIsZero) {
  expect_outputs(infer_example("ConvBnRelu", -8),
                 {{"y", {0}}, {"dx", {0}}, {"dw", {0}}, {"dgamma", {0}}, {"dbeta", {0}}});
}

// gamma = -4 turns the sign of what is normalised: z = -2·(6 - 2) + 1 = -7; with mean = 8 it is -2·(6 - 8) + 1 = 5.
TEST(ConvBnRelu, NegativeGamma) {
  const testing::OpExample example = with(infer_example("ConvBnRelu", 1), "gamma", {-4});
  expect_outputs(example, {{"y", {0}}, {"dx", {0}}, {"dgamma", {0}}});
  expect_outputs(with(example, "mean", {8}),
                 {{"y", {5}}, {"dx", {-4}}, {"dw", {-6}}, {"dgamma", {-1}}, {"dbeta", {1}}});
}

TEST(ConvBnRelu, Training) {
  expect_outputs(train_example("ConvBnRelu"),
                 together({{"y", {0, 0, 0, 4}}, {"mask", {0, 0, 0, 1}}},
                          together(testing::train_statistics(), testing::train_gradients_behind_relu())));
}

}  // namespace
}  // namespace fusecheck
