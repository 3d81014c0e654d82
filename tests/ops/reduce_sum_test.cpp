// reduce_sum over axes.
#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using ::testing::HasSubstr;
using testing::OpExample;

TEST(ReduceSum, WorkedExample) {
  const OpExample example = {
      .op = "reduce_sum", .shapes = {{"x", {2, 2}}}, .attrs = {}, .inputs = {{"x", {1, 2, 3, 4}}, {"dy", {5, 6}}}};
  expect_outputs(example, {{"y", {3, 7}}, {"dx", {5, 5, 6, 6}}});
}

// 1 + 2 + 5 + 6 and 3 + 4 + 7 + 8.
TEST(ReduceSum, SeveralAxesGo) {
  const OpExample example = {.op = "reduce_sum",
                             .shapes = {{"x", {2, 2, 2}}},
                             .attrs = {{"axes", {0, 2}}, {"keepdims", {0}}},
                             .inputs = {{"x", {1, 2, 3, 4, 5, 6, 7, 8}}, {"dy", {1, 2}}}};
  expect_outputs(example, {{"y", {14, 22}}, {"dx", {1, 1, 2, 2, 1, 1, 2, 2}}});
}

TEST(ReduceSum, RefusesAnAxisThatIsNotThere) {
  testing::expect_error(ErrorKind::usage, HasSubstr("axes=2: the tensor has rank 2"), [] {
    context_of(OpExample{.op = "reduce_sum", .shapes = {{"x", {2, 2}}}, .attrs = {{"axes", {2}}}, .inputs = {}});
  });
}

TEST(ReduceSum, RefusesAnAxisTwice) {
  testing::expect_error(ErrorKind::usage, HasSubstr("axis 1 comes twice"), [] {
    context_of(OpExample{.op = "reduce_sum", .shapes = {{"x", {2, 2}}}, .attrs = {{"axes", {1, -1}}}, .inputs = {}});
  });
}

}  // namespace
}  // namespace fusecheck
