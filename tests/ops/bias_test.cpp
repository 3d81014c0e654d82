// bias: y[n,c,...] = x[n,c,...] + b[c].
#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using ::testing::AllOf;
using testing::expect_outputs;
using ::testing::HasSubstr;
using testing::OpExample;

TEST(Bias, WorkedExample) {
  const OpExample example = {
      .op = "bias", .shapes = {{"x", {1, 2}}}, .attrs = {}, .inputs = {{"x", {1, 2}}, {"b", {10, 20}}, {"dy", {3, 4}}}};
  expect_outputs(example, {{"y", {11, 22}}, {"dx", {3, 4}}, {"db", {3, 4}}});
}

// x is [[[1,2],[3,4]], [[5,6],[7,8]]] (n = 2, c = 2, length 2): channel 0 holds 1 2 5 6, channel 1 holds 3 4 7 8, and
// so db = [1 + 2 + 16 + 32, 4 + 8 + 64 + 128].
TEST(Bias, TheChannelIsTheSecondAxis) {
  const OpExample example = {
      .op = "bias",
      .shapes = {{"x", {2, 2, 2}}},
      .attrs = {},
      .inputs = {{"x", {1, 2, 3, 4, 5, 6, 7, 8}}, {"b", {10, 20}}, {"dy", {1, 2, 4, 8, 16, 32, 64, 128}}}};
  expect_outputs(example, {{"y", {11, 12, 23, 24, 15, 16, 27, 28}}, {"db", {51, 204}}});
}

TEST(Bias, RefusesWrongShapes) {
  testing::expect_error(ErrorKind::usage, HasSubstr("bias: x needs at least 2 dimensions n, c, got 7"), [] {
    context_of(OpExample{.op = "bias", .shapes = {{"x", {7}}}, .attrs = {}, .inputs = {}});
  });
  testing::expect_error(ErrorKind::usage, AllOf(HasSubstr("b has shape 3, expected 2"), HasSubstr("each channel")), [] {
    context_of(OpExample{.op = "bias", .shapes = {{"x", {1, 2}}, {"b", {3}}}, .attrs = {}, .inputs = {}});
  });
}

}  // namespace
}  // namespace fusecheck
