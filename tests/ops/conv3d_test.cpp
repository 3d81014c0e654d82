// conv3d.
#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using ::testing::HasSubstr;

// y = 1·3 + 2·4 + 10.
TEST(Conv3d, WorkedExample) {
  expect_outputs({.op = "conv3d",
                  .shapes = {{"x", {1, 1, 2, 1, 1}}},
                  .attrs = {{"kernel", {2, 1, 1}}, {"pad", {0}}},
                  .inputs = {{"x", {1, 2}}, {"w", {3, 4}}, {"b", {10}}, {"dy", {5}}}},
                 {{"y", {21}}, {"dx", {15, 20}}, {"dw", {5, 10}}, {"db", {5}}});
}

// A zero in front: y_0 = 0·3 + 1·4, y_1 = 1·3 + 2·4. dx_0 = 4·1 + 3·10, dx_1 = 4·10. dw = [1·10, 1·1 + 2·10].
TEST(Conv3d, PaddingInFront) {
  expect_outputs({.op = "conv3d",
                  .shapes = {{"x", {1, 1, 2, 1, 1}}},
                  .attrs = {{"kernel", {2, 1, 1}}, {"pad", {1, 0, 0, 0, 0, 0}}},
                  .inputs = {{"x", {1, 2}}, {"w", {3, 4}}, {"dy", {1, 10}}}},
                 {{"y", {4, 11}}, {"dx", {34, 40}}, {"dw", {10, 21}}});
}

// Two groups of one channel: w = [2, 5], each its own.
TEST(Conv3d, GroupsStayApart) {
  expect_outputs({.op = "conv3d",
                  .shapes = {{"x", {1, 2, 1, 1, 1}}},
                  .attrs = {{"kernel", {1}}, {"groups", {2}}},
                  .inputs = {{"x", {3, 4}}, {"w", {2, 5}}, {"dy", {1, 10}}}},
                 {{"y", {6, 20}}, {"dx", {2, 50}}, {"dw", {3, 40}}});
}

TEST(Conv3d, RefusesAnImage) {
  testing::expect_error(ErrorKind::usage, HasSubstr("conv3d: x has shape 1x2x3x4, it needs 5 numbers"), [] {
    testing::context_of({.op = "conv3d", .shapes = {{"x", {1, 2, 3, 4}}}, .attrs = {}, .inputs = {}});
  });
}

}  // namespace
}  // namespace fusecheck
