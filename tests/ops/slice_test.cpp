// slice: x[begin:end:step].
#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

TEST(Slice, WorkedExample) {
  const OpExample example = {.op = "slice",
                             .shapes = {{"x", {5}}},
                             .attrs = {{"begin", {1}}, {"end", {4}}, {"step", {2}}},
                             .inputs = {{"x", {1, 2, 3, 4, 5}}, {"dy", {6, 7}}}};
  expect_outputs(example, {{"y", {2, 4}}, {"dx", {0, 6, 0, 7, 0}}});
}

TEST(Slice, NegativeCountsFromTheBack) {
  const OpExample example = {.op = "slice",
                             .shapes = {{"x", {2, 3}}},
                             .attrs = {{"begin", {-2}}, {"end", {-1}}},
                             .inputs = {{"x", {1, 2, 3, 4, 5, 6}}, {"dy", {7, 8}}}};
  expect_outputs(example, {{"y", {2, 5}}, {"dx", {0, 7, 0, 0, 8, 0}}});
}

TEST(Slice, BeyondTheEndStopsThere) {
  const OpExample example = {.op = "slice",
                             .shapes = {{"x", {3}}},
                             .attrs = {{"begin", {2}}, {"end", {9}}},
                             .inputs = {{"x", {1, 2, 3}}, {"dy", {7}}}};
  expect_outputs(example, {{"y", {3}}, {"dx", {0, 0, 7}}});
}

}  // namespace
}  // namespace fusecheck
