// max_pool: the largest of each window, and its gradient to the first of them.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using ::testing::HasSubstr;
using testing::OpExample;

// Both windows have two fours; the first in reading order wins: x[1,0], and for the second window x[1,1].
TEST(MaxPool, WorkedExample) {
  expect_outputs({.op = "max_pool",
                  .shapes = {{"x", {1, 1, 2, 3}}},
                  .attrs = {{"stride", {1}}},
                  .inputs = {{"x", {1, 3, 2, 4, 4, 0}}, {"dy", {5, 7}}}},
                 {{"y", {4, 4}}, {"dx", {0, 0, 0, 5, 7, 0}}, {"mask", {0, 0, 1, 0, 0, 0, 1, 0}}});
}

// One element in the middle of every window of 2 at stride 1 wins both: its gradients add up.
TEST(MaxPool, OverlappingWindowsAddUp) {
  expect_outputs({.op = "max_pool",
                  .shapes = {{"x", {1, 1, 1, 3}}},
                  .attrs = {{"kernel", {1, 2}}, {"stride", {1}}},
                  .inputs = {{"x", {-3, -1, -2}}, {"dy", {4, 2}}}},
                 {{"y", {-1, -1}}, {"dx", {0, 6, 0}}});
}

// With a 0 in the padding the first window would give 0.
TEST(MaxPool, PaddingNeverWins) {
  expect_outputs({.op = "max_pool",
                  .shapes = {{"x", {1, 1, 1, 2}}},
                  .attrs = {{"kernel", {1, 2}}, {"stride", {1}}, {"pad", {0, 1, 0, 0}}},
                  .inputs = {{"x", {-5, -8}}, {"dy", {1, 2}}}},
                 {{"y", {-5, -5}}, {"dx", {3, 0}}});
}

// 5 elements, windows of 2 at stride 2: two whole ones, and one that hangs over where round_up says so.
TEST(MaxPool, RoundUpKeepsTheWindowThatHangsOver) {
  OpExample example = {.op = "max_pool",
                       .shapes = {{"x", {1, 1, 1, 5}}},
                       .attrs = {{"kernel", {1, 2}}},
                       .inputs = {{"x", {1, 2, 3, 4, 5}}, {"dy", {1, 1}}}};
  expect_outputs(example, {{"y", {2, 4}}, {"dx", {0, 1, 0, 1, 0}}});
  example.attrs["round_up"] = {1};
  example.inputs["dy"] = {1, 1, 1};
  expect_outputs(example, {{"y", {2, 4, 5}}, {"dx", {0, 1, 0, 1, 1}}});
}

TEST(MaxPool, NanWins) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  expect_outputs({.op = "max_pool",
                  .shapes = {{"x", {1, 1, 1, 4}}},
                  .attrs = {{"kernel", {1, 2}}},
                  .inputs = {{"x", {infinity, nan, -infinity, -infinity}}, {"dy", {1, 1}}}},
                 {{"y", {nan, -infinity}}});
}

TEST(MaxPool, RefusesWindowsOfPaddingAlone) {
  testing::expect_error(ErrorKind::usage, HasSubstr("--pad 2 of max_pool makes windows of padding alone"), [] {
    testing::context_of({.op = "max_pool", .shapes = {{"x", {1, 1, 4, 4}}}, .attrs = {{"pad", {2}}}, .inputs = {}});
  });
}

TEST(MaxPool, RefusesAKernelThatDoesNotFit) {
  testing::expect_error(ErrorKind::usage, HasSubstr("--kernel: 5 elements along axis 2 do not fit"), [] {
    testing::context_of({.op = "max_pool", .shapes = {{"x", {1, 1, 4, 4}}}, .attrs = {{"kernel", {5}}}, .inputs = {}});
  });
}

}  // namespace
}  // namespace fusecheck
