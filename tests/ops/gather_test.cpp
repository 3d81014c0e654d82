// gather: the entries of x at an index.
#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using ::testing::HasSubstr;
using testing::OpExample;

TEST(Gather, WorkedExample) {
  const OpExample example = {.op = "gather",
                             .shapes = {{"x", {3, 2}}, {"index", {3}}},
                             .attrs = {},
                             .inputs = {{"x", {1, 2, 3, 4, 5, 6}}, {"index", {2, 0, 2}}, {"dy", {1, 1, 2, 2, 4, 4}}}};
  expect_outputs(example, {{"y", {5, 6, 1, 2, 5, 6}}, {"dx", {2, 2, 0, 0, 5, 5}}});
}

TEST(Gather, AlongTheLastAxis) {
  const OpExample example = {.op = "gather",
                             .shapes = {{"x", {2, 2}}, {"index", {1}}},
                             .attrs = {{"axis", {-1}}},
                             .inputs = {{"x", {1, 2, 3, 4}}, {"index", {1}}, {"dy", {5, 6}}}};
  expect_outputs(example, {{"y", {2, 4}}, {"dx", {0, 5, 0, 6}}});
}

TEST(Gather, RefusesAPositionThatIsNotThere) {
  for (const double position : {-1.0, 3.0}) {
    OpExample example = {
        .op = "gather", .shapes = {{"x", {3}}, {"index", {1}}}, .attrs = {}, .inputs = {{"x", {1, 2, 3}}, {"dy", {1}}}};
    example.inputs["index"] = {position};
    testing::expect_error(ErrorKind::usage, HasSubstr("is outside [0, 3), the length of axis 0"),
                          [&] { body_outputs(example); });
  }
}

}  // namespace
}  // namespace fusecheck
