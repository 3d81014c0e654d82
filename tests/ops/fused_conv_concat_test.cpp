// FusedConvConcat: three convolutions of one input, one behind the other; also as one convolution with merged weights.
#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

// x = [1, 2, 3]; 1x1 with 2: [2, 4, 6]; [1, 0, -1] with one zero at each side: 0 - 2, 1 - 3, 2 - 0, plus b2 = 1;
// [1, 1] with one zero at the left: 0 + 1, 1 + 2, 2 + 3.
// dy picks y[0] of the first, y[1] of the second, y[2] of the third: dx = [2, 0, 0] + [1, 0, -1] + [0, 1, 1].
// dw1 = x[0]; dw2 = x[0], x[1], x[2]; dw3 = x[1], x[2].
OpExample inception() {
  return {.op = "FusedConvConcat",
          .shapes = {{"x", {1, 1, 1, 3}}},
          .attrs = {{"oc", {1}},
                    {"kernel", {1, 1}},
                    {"pad", {0}},
                    {"oc2", {1}},
                    {"kernel2", {1, 3}},
                    {"pad2", {0, 1}},
                    {"oc3", {1}},
                    {"kernel3", {1, 2}},
                    {"pad3", {0, 1, 0, 0}}},
          .inputs = {{"x", {1, 2, 3}},
                     {"w1", {2}},
                     {"b1", {0}},
                     {"w2", {1, 0, -1}},
                     {"b2", {1}},
                     {"w3", {1, 1}},
                     {"b3", {0}},
                     {"dy", {1, 0, 0, 0, 1, 0, 0, 0, 1}}}};
}

TEST(FusedConvConcat, WorkedExample) {
  expect_outputs(inception(), {{"y", {2, 4, 6, -1, -1, 3, 1, 3, 5}},
                               {"dx", {3, 1, 0}},
                               {"dw1", {1}},
                               {"db1", {1}},
                               {"dw2", {1, 2, 3}},
                               {"db2", {1}},
                               {"dw3", {2, 3}},
                               {"db3", {1}}});
}

// Two channels x[0] = 1..5, x[1] = 6..10, stride 2: three columns each.
//   branch 1, 1x1, groups 2: filter o reads channel o at columns 0, 2, 4, times 2 and 3: 2, 6, 10 and 18, 24, 30.
//   branch 2, 1x2 with dilation 2, one zero at either side: taps at columns -1 and 1, 1 and 3, 3 and 5,
//     weight 1 on x[0] and 10 on x[1]: 1·(0 + 2) + 10·(0 + 7) = 72, 1·(2 + 4) + 10·(7 + 9) = 166, 1·(4 + 0) + 10·(9 +
//     0) = 94.
//   branch 3, 1x3 with one zero at either side, only the middle tap on x[1] is not 0: 6, 8, 10, and b3 = -1.
// dy1[0] = 1 at column 0: 2 to dx[0][0]; dy1[1] = 1 at column 2: 3 to dx[1][2]; dy2 = 1 at taps 3 and 5: 1 to dx[0][3],
// 10 to dx[1][3]; dy3 = 1 at column 2: 1 to dx[1][2]. dw1 = x[0][0], x[1][2]; dw2 = x at column 3 and outside;
// dw3 = x at columns 1, 2, 3.
TEST(FusedConvConcat, GroupsDilationAndStride) {
  expect_outputs({.op = "FusedConvConcat",
                  .shapes = {{"x", {1, 2, 1, 5}}},
                  .attrs = {{"stride", {1, 2}},
                            {"oc", {2}},
                            {"kernel", {1, 1}},
                            {"groups", {2}},
                            {"oc2", {1}},
                            {"kernel2", {1, 2}},
                            {"dilation2", {1, 2}},
                            {"pad2", {0, 1}},
                            {"oc3", {1}},
                            {"kernel3", {1, 3}}},
                  .inputs = {{"x", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
                             {"w1", {2, 3}},
                             {"b1", {0, 0}},
                             {"w2", {1, 1, 10, 10}},
                             {"b2", {0}},
                             {"w3", {0, 0, 0, 0, 1, 0}},
                             {"b3", {-1}},
                             {"dy", {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0}}}},
                 {{"y", {2, 6, 10, 18, 24, 30, 72, 166, 94, 5, 7, 9}},
                  {"dx", {2, 0, 0, 1, 0, 0, 0, 4, 10, 0}},
                  {"dw1", {1, 8}},
                  {"dw2", {4, 0, 9, 0}},
                  {"dw3", {2, 3, 4, 7, 8, 9}},
                  {"db1", {1, 1}},
                  {"db2", {1}},
                  {"db3", {1}}});
}

// In f16 the branches give dx = 2048, 1 and 1. The sum is 2050, which f16 holds. Adding one after another to the dx in
// memory, 2048 + 1 lies halfway between 2048 and 2050 and goes to the even 2048, twice. The last two first are 2.
TEST(FusedConvConcat, WhereDxIsRoundedShows) {
  const OpExample example = {.op = "FusedConvConcat",
                             .shapes = {{"x", {1, 1, 1, 1}}},
                             .attrs = {{"kernel", {1}}, {"kernel2", {1}}, {"kernel3", {1}}},
                             .inputs = {{"x", {1}},
                                        {"w1", {2048}},
                                        {"b1", {0}},
                                        {"w2", {1}},
                                        {"b2", {0}},
                                        {"w3", {1}},
                                        {"b3", {0}},
                                        {"dy", {1, 1, 1}}},
                             .dtype = DType::f16};
  for (const char* recipe : {"epilogue", "separate", "merged"}) {
    testing::expect_equal(emulated_outputs(example, recipe), {{"dx", {2050}}}, recipe);
  }
  testing::expect_equal(emulated_outputs(example, "accumulated"), {{"dx", {2048}}}, "accumulated");
}

TEST(FusedConvConcat, BranchesOfDifferentSizesAreRefused) {
  OpExample example = inception();
  example.attrs["pad3"] = {0};
  testing::expect_error(ErrorKind::usage, ::testing::HasSubstr("may differ along axis 1 only"),
                        [&] { body_outputs(example); });
}

}  // namespace
}  // namespace fusecheck
