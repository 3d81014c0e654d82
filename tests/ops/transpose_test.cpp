// transpose: axes in another order.
#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using ::testing::HasSubstr;
using testing::OpExample;

// dy is [3, 2]: [[1, 2], [3, 4], [5, 6]], and dx its transpose.
TEST(Transpose, WorkedExample) {
  const OpExample example = {.op = "transpose",
                             .shapes = {{"x", {2, 3}}},
                             .attrs = {{"order", {1, 0}}},
                             .inputs = {{"x", {1, 2, 3, 4, 5, 6}}, {"dy", {1, 2, 3, 4, 5, 6}}}};
  expect_outputs(example, {{"y", {1, 4, 2, 5, 3, 6}}, {"dx", {1, 3, 5, 2, 4, 6}}});
}

// y[k, 0, j] = x[0, j, k].
TEST(Transpose, ThreeAxes) {
  const OpExample example = {.op = "transpose",
                             .shapes = {{"x", {1, 2, 3}}},
                             .attrs = {{"order", {2, 0, 1}}},
                             .inputs = {{"x", {1, 2, 3, 4, 5, 6}}, {"dy", {1, 2, 3, 4, 5, 6}}}};
  expect_outputs(example, {{"y", {1, 4, 2, 5, 3, 6}}, {"dx", {1, 3, 5, 2, 4, 6}}});
}

TEST(Transpose, RefusesAnAxisTwice) {
  testing::expect_error(
      ErrorKind::usage, HasSubstr("order 0,0 for x = 2x3: every axis from 0 to 1 must come once"), [] {
        context_of(OpExample{.op = "transpose", .shapes = {{"x", {2, 3}}}, .attrs = {{"order", {0, 0}}}, .inputs = {}});
      });
}

}  // namespace
}  // namespace fusecheck
