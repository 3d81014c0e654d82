// hard_swish: y = x·min(max(x + 3, 0), 6)/6.
#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

TEST(HardSwish, WorkedExample) {
  const OpExample example = {.op = "hard_swish",
                             .shapes = {{"x", {5}}},
                             .attrs = {},
                             .inputs = {{"x", {-4, -3, 0, 3, 6}}, {"dy", {4, 4, 4, 4, 4}}}};
  expect_outputs(example, {{"y", {0, 0, 0, 3, 6}}, {"dx", {0, 0, 2, 4, 4}}});
}

}  // namespace
}  // namespace fusecheck
