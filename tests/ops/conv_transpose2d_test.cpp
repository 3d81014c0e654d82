// conv_transpose2d: the gradient of a convolution as an operator.
#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using ::testing::HasSubstr;
using testing::OpExample;

// y = [1·3, 1·4, 2·3, 2·4] + 10.  dx_j = dy[2j]·3 + dy[2j + 1]·4.  dw = [1·1 + 2·0, 1·0 + 2·1].
TEST(ConvTranspose2d, WorkedExample) {
  expect_outputs({.op = "conv_transpose2d",
                  .shapes = {{"x", {1, 1, 1, 2}}},
                  .attrs = {{"kernel", {1, 2}}, {"stride", {1, 2}}, {"pad", {0}}},
                  .inputs = {{"x", {1, 2}}, {"w", {3, 4}}, {"b", {10}}, {"dy", {1, 0, 0, 1}}}},
                 {{"y", {13, 14, 16, 18}}, {"dx", {3, 4}}, {"dw", {1, 2}}, {"db", {2}}});
}

// One channel to two: w [1, 2, 1, 1] = [[3, 5]]. dx = 3·1 + 5·10.
TEST(ConvTranspose2d, WeightsAreInputChannelsFirst) {
  expect_outputs({.op = "conv_transpose2d",
                  .shapes = {{"x", {1, 1, 1, 1}}},
                  .attrs = {{"kernel", {1}}, {"oc", {2}}},
                  .inputs = {{"x", {2}}, {"w", {3, 5}}, {"dy", {1, 10}}}},
                 {{"y", {6, 10}}, {"dx", {53}}, {"dw", {2, 20}}});
}

// Stride 3, kernel 1, output_pad 2: length (2 - 1)·3 + 1 + 2 = 6; what no tap reaches is the bias alone.
TEST(ConvTranspose2d, OutputPaddingIsReachedByNothing) {
  expect_outputs({.op = "conv_transpose2d",
                  .shapes = {{"x", {1, 1, 1, 2}}},
                  .attrs = {{"kernel", {1}}, {"stride", {1, 3}}, {"output_pad", {0, 2}}},
                  .inputs = {{"x", {1, 2}}, {"w", {4}}, {"b", {1}}, {"dy", {1, 2, 3, 4, 5, 6}}}},
                 {{"y", {5, 1, 1, 9, 1, 1}}, {"dx", {4, 16}}, {"dw", {9}}, {"db", {21}}});
}

TEST(ConvTranspose2d, RefusesOutputPaddingOfAWholeStride) {
  testing::expect_error(ErrorKind::usage, HasSubstr("output_pad=2 is not below the stride, 2"), [] {
    testing::context_of({.op = "conv_transpose2d",
                .shapes = {{"x", {1, 1, 2, 2}}},
                .attrs = {{"stride", {2}}, {"output_pad", {2}}},
                .inputs = {}});
  });
}

}  // namespace
}  // namespace fusecheck
