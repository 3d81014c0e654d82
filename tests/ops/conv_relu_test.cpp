// ConvRelu: y = relu(conv(x, w) + b).
#include <gtest/gtest.h>

#include "conv_bn_examples.hpp"

namespace fusecheck {
namespace {

using testing::conv_example;
using testing::expect_outputs;

// conv = 3·2 + 1 = 7 is positive: the gradients are those of the convolution.
TEST(ConvRelu, PositiveSumPasses) {
  expect_outputs(conv_example("ConvRelu", 2, 1), {{"y", {7}}, {"dx", {2}}, {"dw", {3}}, {"db", {1}}, {"mask", {1}}});
}

// conv = 3·(-2) + 1 = -5.
TEST(ConvRelu, NegativeSumStopsEverything) {
  expect_outputs(conv_example("ConvRelu", -2, 1), {{"y", {0}}, {"dx", {0}}, {"dw", {0}}, {"db", {0}}, {"mask", {0}}});
}

// x = [1, -1], w = 1, b = 0: only the first element passes its gradient, so dw and db see dy_0 = 4 alone.
TEST(ConvRelu, TheMaskIsOfEachElement) {
  const testing::OpExample example = {.op = "ConvRelu",
                                      .shapes = {{"x", {1, 1, 1, 2}}},
                                      .attrs = {{"kernel", {1}}},
                                      .inputs = {{"x", {1, -1}}, {"w", {1}}, {"b", {0}}, {"dy", {4, 8}}}};
  expect_outputs(example, {{"y", {1, 0}}, {"dx", {4, 0}}, {"dw", {4}}, {"db", {4}}});
}

// conv = 3·0 + 0: the derivative at 0 is 0.
TEST(ConvRelu, DerivativeAtZeroIsZero) {
  const testing::OpExample example = testing::with(conv_example("ConvRelu", 0, 1), "b", {0});
  expect_outputs(example, {{"y", {0}}, {"dx", {0}}, {"dw", {0}}, {"db", {0}}});
}

}  // namespace
}  // namespace fusecheck
