// reduce_mean over axes.
#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using ::testing::HasSubstr;
using testing::OpExample;

TEST(ReduceMean, WorkedExample) {
  const OpExample example = {
      .op = "reduce_mean", .shapes = {{"x", {2, 2}}}, .attrs = {}, .inputs = {{"x", {1, 2, 3, 4}}, {"dy", {5, 6}}}};
  expect_outputs(example, {{"y", {1.5, 3.5}}, {"dx", {2.5, 2.5, 3, 3}}});
}

TEST(ReduceMean, AllAxes) {
  const OpExample example = {.op = "reduce_mean",
                             .shapes = {{"x", {2, 2}}},
                             .attrs = {{"axes", {0, 1}}},
                             .inputs = {{"x", {1, 2, 3, 10}}, {"dy", {8}}}};
  expect_outputs(example, {{"y", {4}}, {"dx", {2, 2, 2, 2}}});
}

TEST(ReduceMean, RefusesAnAxisThatIsNotThere) {
  testing::expect_error(ErrorKind::usage, HasSubstr("axes=2: the tensor has rank 2"), [] {
    context_of(OpExample{.op = "reduce_mean", .shapes = {{"x", {2, 2}}}, .attrs = {{"axes", {2}}}, .inputs = {}});
  });
}

}  // namespace
}  // namespace fusecheck
