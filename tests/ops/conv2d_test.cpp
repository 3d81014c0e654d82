// conv2d: y[n,o,p,q] = b[o] + Σ x[n,c,p·stride + i·dilation - pad, ...]·w[o,c,i,j], and its three gradients.
#include <gtest/gtest.h>

#include <limits>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using ::testing::AllOf;
using testing::expect_outputs;
using ::testing::HasSubstr;
using testing::OpExample;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Conv2d, WorkedExample) {
  const OpExample example = {.op = "conv2d",
                             .shapes = {{"x", {1, 1, 2, 2}}},
                             .attrs = {{"kernel", {2}}, {"pad", {0}}},
                             .inputs = {{"x", {1, 2, 3, 4}}, {"w", {1, 0, 0, 1}}, {"b", {10}}, {"dy", {3}}}};
  expect_outputs(example, {{"y", {15}}, {"dx", {3, 0, 0, 3}}, {"dw", {3, 6, 9, 12}}, {"db", {3}}});
}

// A row x = [1,2,3,4,5], w = [1,10], dilation 2, stride 2, zeros at -1 and from 5 to 7: the taps are at -1 and 1, 1 and
// 3, 3 and 5, 5 and 7: y = [2·10, 2 + 4·10, 4, 0]. dy = [1,2,4,8]: x_1 meets 10·1 and 1·2, x_3 meets 10·2 and 1·4; w_0
// meets 2·2 + 4·4, w_1 meets 2·1 + 4·2.
TEST(Conv2d, StrideDilationAndUnequalPadding) {
  const OpExample example = {
      .op = "conv2d",
      .shapes = {{"x", {1, 1, 1, 5}}},
      .attrs = {{"kernel", {1, 2}}, {"stride", {1, 2}}, {"dilation", {1, 2}}, {"pad", {0, 1, 0, 3}}},
      .inputs = {{"x", {1, 2, 3, 4, 5}}, {"w", {1, 10}}, {"dy", {1, 2, 4, 8}}}};
  expect_outputs(example, {{"y", {20, 42, 4, 0}}, {"dx", {0, 12, 0, 24, 0}}, {"dw", {20, 10}}});
}

// The same upright: stride 1, one zero above and none below.
TEST(Conv2d, PaddingAboveOnly) {
  const OpExample example = {.op = "conv2d",
                             .shapes = {{"x", {1, 1, 3, 1}}},
                             .attrs = {{"kernel", {2, 1}}, {"pad", {1, 0, 0, 0}}},
                             .inputs = {{"x", {1, 2, 3}}, {"w", {1, 10}}, {"dy", {1, 2, 4}}}};
  expect_outputs(example, {{"y", {10, 21, 32}}, {"dx", {12, 24, 40}}, {"dw", {10, 17}}});
}

// Two groups of one input and two output channels each: outputs 0 and 1 see channel 0 only.
TEST(Conv2d, GroupsTakeConsecutiveChannels) {
  const OpExample example = {
      .op = "conv2d",
      .shapes = {{"x", {1, 2, 1, 1}}},
      .attrs = {{"kernel", {1}}, {"oc", {4}}, {"groups", {2}}},
      .inputs = {{"x", {3, 5}}, {"w", {1, 2, 4, 8}}, {"b", {0, 0, 0, 100}}, {"dy", {1, 1, 2, 1}}}};
  expect_outputs(example, {{"y", {3, 6, 20, 140}}, {"dx", {3, 16}}, {"dw", {3, 3, 10, 5}}, {"db", {1, 1, 2, 1}}});
}

// Only the centre tap meets x; infinity times a padding zero would be NaN.
TEST(Conv2d, PaddingAddsNothingWhereWeightsAreInfinite) {
  const double inf = kInfinity;
  const OpExample example = {.op = "conv2d",
                             .shapes = {{"x", {1, 1, 1, 1}}},
                             .attrs = {},  // 3x3, one zero on each side
                             .inputs = {{"x", {3}}, {"w", {inf, inf, -inf, inf, 2, inf, inf, -inf, inf}}, {"dy", {5}}}};
  expect_outputs(example, {{"y", {6}}, {"dx", {10}}, {"dw", {0, 0, 0, 0, 15, 0, 0, 0, 0}}});
}

// The default keeps the size at stride 1: dilation·(kernel - 1)/2 zeros on each side.
TEST(Conv2d, DefaultPaddingKeepsTheSize) {
  const OpExample example = {.op = "conv2d",
                             .shapes = {{"x", {1, 2, 9, 11}}},
                             .attrs = {{"kernel", {3, 5}}, {"dilation", {2, 1}}, {"oc", {7}}},
                             .inputs = {}};
  EXPECT_EQ(context_of(example).shapes.at("y"), (Shape{1, 7, 9, 11}));
}

OpExample shapes_only(Shapes shapes, std::map<std::string, std::vector<double>> attrs) {
  return {.op = "conv2d", .shapes = std::move(shapes), .attrs = std::move(attrs), .inputs = {}};
}

TEST(Conv2d, RefusesWrongShapes) {
  const auto expect_refusal = [](const auto& message, const OpExample& example) {
    testing::expect_error(ErrorKind::usage, message, [&] { context_of(example); });
  };
  expect_refusal(HasSubstr("x has shape 3x4x5: a convolution needs 4 numbers n,c,h,w, got 3"),
                 shapes_only({{"x", {3, 4, 5}}}, {}));
  expect_refusal(HasSubstr("--groups 3 does not divide both c = 4 and oc = 6; choose a common divisor"),
                 shapes_only({{"x", {1, 4, 5, 5}}}, {{"groups", {3}}, {"oc", {6}}}));
  expect_refusal(HasSubstr("w has shape 6x4x3x3, expected 6x2x3x3 (oc, c/groups, kernel height, kernel width)"),
                 shapes_only({{"x", {1, 4, 5, 5}}, {"w", {6, 4, 3, 3}}}, {{"groups", {2}}}));
  expect_refusal(HasSubstr("b has shape 4, expected 6 (one number for each output channel)"),
                 shapes_only({{"x", {1, 4, 5, 5}}, {"b", {4}}}, {{"oc", {6}}}));
  // 5 taps at distance 2 reach over 9 rows; x with its padding has 2 + 3 + 2.
  expect_refusal(AllOf(HasSubstr("--kernel 5,1 with dilation 2,1 does not fit into x = 1x1x3x3"), HasSubstr("--pad")),
                 shapes_only({{"x", {1, 1, 3, 3}}}, {{"kernel", {5, 1}}, {"dilation", {2, 1}}, {"pad", {2, 0}}}));
}

}  // namespace
}  // namespace fusecheck
