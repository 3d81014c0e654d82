// ConvAdd: y = conv(x, w) + b + residual.
#include <gtest/gtest.h>

#include "conv_bn_examples.hpp"
#include "support/expect_error.hpp"

namespace fusecheck {
namespace {

using testing::conv_example;
using testing::expect_outputs;
using testing::with;

// conv = 3·2 + 1 = 7.
TEST(ConvAdd, WorkedExample) {
  expect_outputs(with(conv_example("ConvAdd", 2, 1), "residual", {10}),
                 {{"y", {17}}, {"dx", {2}}, {"dw", {3}}, {"db", {1}}, {"dresidual", {1}}});
}

// The residual has the shape of y, not of x: stride 2 leaves 2 of 3 elements. y = [1 + 100, 3 + 200].
TEST(ConvAdd, TheResidualHasTheShapeOfTheOutput) {
  const testing::OpExample example = {
      .op = "ConvAdd",
      .shapes = {{"x", {1, 1, 1, 3}}},
      .attrs = {{"kernel", {1}}, {"stride", {2}}},
      .inputs = {{"x", {1, 2, 3}}, {"w", {1}}, {"residual", {100, 200}}, {"dy", {4, 8}}}};
  expect_outputs(example, {{"y", {101, 203}}, {"dx", {4, 0, 8}}, {"dw", {28}}, {"dresidual", {4, 8}}});
}

TEST(ConvAdd, RefusesAResidualOfAnotherShape) {
  testing::expect_error(ErrorKind::usage, ::testing::HasSubstr("shapes 1x1x2x2 and 1x1x3x3 do not broadcast"), [] {
    context_of(testing::OpExample{.op = "ConvAdd",
                                  .shapes = {{"x", {1, 1, 3, 3}}, {"residual", {1, 1, 3, 3}}},
                                  .attrs = {{"kernel", {1}}, {"stride", {2}}},
                                  .inputs = {}});
  });
}

}  // namespace
}  // namespace fusecheck
