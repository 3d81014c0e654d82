// attention_values: y = p·v for every head.
#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;

TEST(AttentionValues, WorkedExample) {
  expect_outputs({.op = "attention_values",
                  .shapes = {{"p", {1, 1, 1, 2}}, {"v", {1, 1, 2, 2}}},
                  .attrs = {},
                  .inputs = {{"p", {1, 2}}, {"v", {3, 1, 0, 4}}, {"dy", {1, -1}}}},
                 {{"y", {3, 9}}, {"dp", {2, -4}}, {"dv", {1, -1, 2, -2}}});
}

}  // namespace
}  // namespace fusecheck
