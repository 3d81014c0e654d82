// split: one of equal parts.
#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using ::testing::HasSubstr;
using testing::OpExample;

TEST(Split, WorkedExample) {
  const OpExample example = {.op = "split",
                             .shapes = {{"x", {4}}},
                             .attrs = {{"index", {1}}},
                             .inputs = {{"x", {1, 2, 3, 4}}, {"dy", {5, 6}}}};
  expect_outputs(example, {{"y", {3, 4}}, {"dx", {0, 0, 5, 6}}});
}

TEST(Split, AlongTheFirstAxis) {
  const OpExample example = {.op = "split",
                             .shapes = {{"x", {3, 2}}},
                             .attrs = {{"axis", {0}}, {"parts", {3}}, {"index", {1}}},
                             .inputs = {{"x", {1, 2, 3, 4, 5, 6}}, {"dy", {7, 8}}}};
  expect_outputs(example, {{"y", {3, 4}}, {"dx", {0, 0, 7, 8, 0, 0}}});
}

TEST(Split, RefusesPartsThatDoNotDivide) {
  testing::expect_error(ErrorKind::usage, HasSubstr("parts must divide the length"), [] {
    context_of(OpExample{.op = "split", .shapes = {{"x", {5}}}, .attrs = {}, .inputs = {}});
  });
}

TEST(Split, RefusesAPartThatIsNotThere) {
  testing::expect_error(ErrorKind::usage, HasSubstr("part 2 of 2"), [] {
    context_of(OpExample{.op = "split", .shapes = {{"x", {4}}}, .attrs = {{"index", {2}}}, .inputs = {}});
  });
}

}  // namespace
}  // namespace fusecheck
