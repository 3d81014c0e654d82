// prelu: y = x for x > 0, else alpha[c]·x.
#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using ::testing::HasSubstr;
using testing::OpExample;

TEST(Prelu, WorkedExample) {
  const OpExample example = {.op = "prelu",
                             .shapes = {{"x", {1, 2}}},
                             .attrs = {},
                             .inputs = {{"x", {-4, 2}}, {"alpha", {0.25, 3}}, {"dy", {8, 8}}}};
  expect_outputs(example, {{"y", {-1, 2}}, {"dx", {2, 8}}, {"dalpha", {-32, 0}}});
}

// dalpha = 1·(-1) + 2·(-2) + 8·(-4) = -37.
TEST(Prelu, SumsOverTheBatch) {
  const OpExample example = {.op = "prelu",
                             .shapes = {{"x", {2, 1, 2}}},
                             .attrs = {},
                             .inputs = {{"x", {-1, -2, 3, -4}}, {"alpha", {2}}, {"dy", {1, 2, 4, 8}}}};
  expect_outputs(example, {{"y", {-2, -4, 3, -8}}, {"dx", {2, 4, 4, 16}}, {"dalpha", {-37}}});
}

TEST(Prelu, RefusesAVector) {
  testing::expect_error(ErrorKind::usage, HasSubstr("prelu: x needs at least 2 dimensions n, c, got 4"), [] {
    context_of(OpExample{.op = "prelu", .shapes = {{"x", {4}}}, .attrs = {}, .inputs = {}});
  });
}

TEST(Prelu, RefusesAnotherNumberOfSlopes) {
  testing::expect_error(ErrorKind::usage, HasSubstr("prelu: one slope for each channel of x"), [] {
    context_of(OpExample{.op = "prelu", .shapes = {{"x", {2, 3}}, {"alpha", {2}}}, .attrs = {}, .inputs = {}});
  });
}

}  // namespace
}  // namespace fusecheck
