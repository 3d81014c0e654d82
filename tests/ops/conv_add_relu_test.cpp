// ConvAddRelu: y = relu(conv(x, w) + b + residual).
#include <gtest/gtest.h>

#include "conv_bn_examples.hpp"

namespace fusecheck {
namespace {

using testing::conv_example;
using testing::expect_outputs;
using testing::with;

// 7 - 10 = -3: the residual decides the sign, and its gradient stops too.
TEST(ConvAddRelu, WorkedExample) {
  expect_outputs(with(conv_example("ConvAddRelu", 2, 1), "residual", {-10}),
                 {{"y", {0}}, {"dx", {0}}, {"dw", {0}}, {"db", {0}}, {"dresidual", {0}}, {"mask", {0}}});
}

// -5 + 8 = 3: relu comes after the sum, or this would be 8.
TEST(ConvAddRelu, TheResidualCanLiftANegativeSum) {
  expect_outputs(with(conv_example("ConvAddRelu", -2, 2), "residual", {8}),
                 {{"y", {3}}, {"dx", {-4}}, {"dw", {6}}, {"db", {2}}, {"dresidual", {2}}});
}

// 7 - 7 = 0: the derivative there is 0.
TEST(ConvAddRelu, DerivativeAtZeroIsZero) {
  expect_outputs(with(conv_example("ConvAddRelu", 2, 1), "residual", {-7}),
                 {{"y", {0}}, {"dx", {0}}, {"dw", {0}}, {"dresidual", {0}}});
}

}  // namespace
}  // namespace fusecheck
