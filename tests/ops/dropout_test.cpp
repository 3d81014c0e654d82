// dropout: y = x·keep/(1 - p).
#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

TEST(Dropout, WorkedExample) {
  const OpExample example = {.op = "dropout",
                             .shapes = {{"x", {2}}},
                             .attrs = {},
                             .inputs = {{"x", {1, 2}}, {"keep", {1, 0}}, {"dy", {3, 4}}}};
  expect_outputs(example, {{"y", {2, 0}}, {"dx", {6, 0}}});
}

TEST(Dropout, NothingDropped) {
  const OpExample example = {.op = "dropout",
                             .shapes = {{"x", {2}}},
                             .attrs = {{"p", {0}}},
                             .inputs = {{"x", {1, 2}}, {"keep", {1, 1}}, {"dy", {3, 4}}}};
  expect_outputs(example, {{"y", {1, 2}}, {"dx", {3, 4}}});
}

TEST(Dropout, ThreeOfFour) {
  const OpExample example = {.op = "dropout",
                             .shapes = {{"x", {2}}},
                             .attrs = {{"p", {0.75}}},
                             .inputs = {{"x", {1, 2}}, {"keep", {1, 0}}, {"dy", {3, 4}}}};
  expect_outputs(example, {{"y", {4, 0}}, {"dx", {12, 0}}});
}

}  // namespace
}  // namespace fusecheck
