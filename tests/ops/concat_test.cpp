// concat: parts one behind the other.
#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using ::testing::HasSubstr;
using testing::OpExample;

TEST(Concat, WorkedExample) {
  const OpExample example = {.op = "concat",
                             .shapes = {{"x1", {1, 2}}, {"x2", {1, 1}}},
                             .attrs = {},
                             .inputs = {{"x1", {1, 2}}, {"x2", {3}}, {"dy", {4, 5, 6}}}};
  expect_outputs(example, {{"y", {1, 2, 3}}, {"dx1", {4, 5}}, {"dx2", {6}}});
}

TEST(Concat, AlongTheFirstAxis) {
  const OpExample example = {.op = "concat",
                             .shapes = {{"x1", {1, 2}}, {"x2", {2, 2}}},
                             .attrs = {{"axis", {0}}},
                             .inputs = {{"x1", {1, 2}}, {"x2", {3, 4, 5, 6}}, {"dy", {1, 2, 3, 4, 5, 6}}}};
  expect_outputs(example, {{"y", {1, 2, 3, 4, 5, 6}}, {"dx1", {1, 2}}, {"dx2", {3, 4, 5, 6}}});
}

TEST(Concat, ThreeParts) {
  const OpExample example = {
      .op = "concat",
      .shapes = {{"x1", {2, 1}}, {"x2", {2, 1}}, {"x3", {2, 2}}},
      .attrs = {},
      .inputs = {{"x1", {1, 5}}, {"x2", {2, 6}}, {"x3", {3, 4, 7, 8}}, {"dy", {1, 2, 3, 4, 5, 6, 7, 8}}}};
  expect_outputs(example, {{"y", {1, 2, 3, 4, 5, 6, 7, 8}}, {"dx1", {1, 5}}, {"dx2", {2, 6}}, {"dx3", {3, 4, 7, 8}}});
}

TEST(Concat, RefusesPartsThatDoNotMatch) {
  testing::expect_error(ErrorKind::usage, HasSubstr("they may differ along axis 1 only"), [] {
    context_of(OpExample{.op = "concat", .shapes = {{"x1", {2, 3}}, {"x2", {4, 3}}}, .attrs = {}, .inputs = {}});
  });
}

}  // namespace
}  // namespace fusecheck
