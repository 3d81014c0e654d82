// pad: elements of one value around x.
#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using ::testing::HasSubstr;
using testing::OpExample;

TEST(Pad, WorkedExample) {
  const OpExample example = {.op = "pad",
                             .shapes = {{"x", {2}}},
                             .attrs = {{"before", {1}}, {"after", {2}}, {"value", {9}}},
                             .inputs = {{"x", {1, 2}}, {"dy", {3, 4, 5, 6, 7}}}};
  expect_outputs(example, {{"y", {9, 1, 2, 9, 9}}, {"dx", {4, 5}}});
}

TEST(Pad, TwoAxes) {
  const OpExample example = {.op = "pad",
                             .shapes = {{"x", {1, 1}}},
                             .attrs = {{"before", {1, 0}}, {"after", {0, 1}}},
                             .inputs = {{"x", {5}}, {"dy", {1, 2, 3, 4}}}};
  expect_outputs(example, {{"y", {0, 0, 5, 0}}, {"dx", {3}}});
}

TEST(Pad, RefusesMoreNumbersThanAxes) {
  testing::expect_error(ErrorKind::usage, HasSubstr("before has 2 numbers, x = 3 has rank 1"), [] {
    context_of(OpExample{.op = "pad", .shapes = {{"x", {3}}}, .attrs = {{"before", {1, 1}}}, .inputs = {}});
  });
}

}  // namespace
}  // namespace fusecheck
