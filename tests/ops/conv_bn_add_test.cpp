// ConvBnAdd: y = gamma·(conv(x, w) + b - mean)/sqrt(var + eps) + beta + residual.
#include <gtest/gtest.h>

#include "conv_bn_examples.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::infer_example;
using testing::together;
using testing::train_example;
using testing::with;

// 9 - 4 = 5.
TEST(ConvBnAdd, WorkedExample) {
  expect_outputs(with(infer_example("ConvBnAdd", 1), "residual", {-4}),
                 {{"y", {5}}, {"dx", {4}}, {"dw", {6}}, {"dgamma", {2}}, {"dbeta", {1}}, {"dresidual", {1}}});
}

// The residual joins behind the normalisation: no statistic sees it.
TEST(ConvBnAdd, Training) {
  expect_outputs(with(train_example("ConvBnAdd"), "residual", {8, 16, 32, 64}),
                 together({{"y", {8, 16, 32, 68}}, {"dresidual", {4, 0, 0, 4}}},
                          together(testing::train_statistics(), testing::train_gradients_of_dy())));
}

}  // namespace
}  // namespace fusecheck
