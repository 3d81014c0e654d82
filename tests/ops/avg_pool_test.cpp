// avg_pool: means of windows.
#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using ::testing::HasSubstr;
using testing::OpExample;

// (1 + 3 + 4 + 4)/4 and (3 + 2 + 4 + 0)/4; each element gets 4/4, 8/4 or both.
TEST(AvgPool, WorkedExample) {
  expect_outputs({.op = "avg_pool",
                  .shapes = {{"x", {1, 1, 2, 3}}},
                  .attrs = {{"stride", {1}}},
                  .inputs = {{"x", {1, 3, 2, 4, 4, 0}}, {"dy", {4, 8}}}},
                 {{"y", {3, 2.25}}, {"dx", {1, 3, 2, 1, 3, 2}}});
}

// One zero in front: the first window holds 6 alone. It is divided by 2 where padding counts, else by 1.
TEST(AvgPool, WhatCounts) {
  OpExample example = {.op = "avg_pool",
                       .shapes = {{"x", {1, 1, 1, 3}}},
                       .attrs = {{"kernel", {1, 2}}, {"pad", {0, 1, 0, 0}}},
                       .inputs = {{"x", {6, 2, 4}}, {"dy", {2, 8}}}};
  expect_outputs(example, {{"y", {3, 3}}, {"dx", {1, 4, 4}}});
  example.attrs["count_include_pad"] = {0};
  expect_outputs(example, {{"y", {6, 3}}, {"dx", {2, 4, 4}}});
}

// 3 elements, windows of 2 at stride 2, rounded up: the last window holds 8 and something behind x, which never counts.
TEST(AvgPool, WhatHangsOverDoesNotCount) {
  for (const double include : {0.0, 1.0}) {
    expect_outputs({.op = "avg_pool",
                    .shapes = {{"x", {1, 1, 1, 3}}},
                    .attrs = {{"kernel", {1, 2}}, {"round_up", {1}}, {"count_include_pad", {include}}},
                    .inputs = {{"x", {2, 4, 8}}, {"dy", {2, 1}}}},
                   {{"y", {3, 8}}, {"dx", {1, 1, 1}}});
  }
}

TEST(AvgPool, RefusesAnImageWithoutChannels) {
  testing::expect_error(ErrorKind::usage, HasSubstr("avg_pool: x has shape 4x4, it needs 4 numbers"), [] {
    testing::context_of({.op = "avg_pool", .shapes = {{"x", {4, 4}}}, .attrs = {}, .inputs = {}});
  });
}

}  // namespace
}  // namespace fusecheck
