// global_avg_pool: the mean of every channel.
#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;

TEST(GlobalAvgPool, WorkedExample) {
  expect_outputs({.op = "global_avg_pool",
                  .shapes = {{"x", {1, 1, 2, 2}}},
                  .attrs = {},
                  .inputs = {{"x", {1, 3, 2, 6}}, {"dy", {4}}}},
                 {{"y", {3}}, {"dx", {1, 1, 1, 1}}});
}

// Two channels of a sequence of 2: each its own mean.
TEST(GlobalAvgPool, ChannelsStayApart) {
  expect_outputs({.op = "global_avg_pool",
                  .shapes = {{"x", {1, 2, 2}}},
                  .attrs = {},
                  .inputs = {{"x", {1, 3, 10, 20}}, {"dy", {2, 4}}}},
                 {{"y", {2, 15}}, {"dx", {1, 1, 2, 2}}});
}

}  // namespace
}  // namespace fusecheck
