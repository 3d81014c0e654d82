#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

TEST(Sub, WorkedExample) {
  const OpExample example = {
      .op = "sub", .shapes = {{"a", {2}}}, .attrs = {}, .inputs = {{"a", {1, 2}}, {"b", {10, 20}}, {"dy", {3, 4}}}};
  expect_outputs(example, {{"y", {-9, -18}}, {"da", {3, 4}}, {"db", {-3, -4}}});
}

// b serves both rows: its gradient is minus the sum over them.
TEST(Sub, Broadcasts) {
  const OpExample example = {.op = "sub",
                             .shapes = {{"a", {2, 2}}, {"b", {2}}},
                             .attrs = {},
                             .inputs = {{"a", {1, 2, 3, 4}}, {"b", {10, 20}}, {"dy", {1, 2, 4, 8}}}};
  expect_outputs(example, {{"y", {-9, -18, -7, -16}}, {"da", {1, 2, 4, 8}}, {"db", {-5, -10}}});
}

}  // namespace
}  // namespace fusecheck
