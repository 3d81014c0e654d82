// masked_softmax: softmax over what is not masked.
#include <gtest/gtest.h>

#include <limits>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(MaskedSoftmax, WorkedExample) {
  const OpExample example = {.op = "masked_softmax",
                             .shapes = {{"x", {3}}},
                             .attrs = {},
                             .inputs = {{"x", {0, 0, 9}}, {"masked", {0, 0, 1}}, {"dy", {1, 0, 5}}}};
  expect_outputs(example, {{"y", {0.5, 0.5, 0}}, {"dx", {0.25, -0.25, 0}}});
}

TEST(MaskedSoftmax, ARowThatIsMaskedAltogetherIsZero) {
  const OpExample example = {.op = "masked_softmax",
                             .shapes = {{"x", {2, 2}}},
                             .attrs = {},
                             .inputs = {{"x", {1, 2, 0, 0}}, {"masked", {1, 1, 0, 0}}, {"dy", {1, 2, 1, 0}}}};
  expect_outputs(example, {{"y", {0, 0, 0.5, 0.5}}, {"dx", {0, 0, 0.25, -0.25}}});
}

TEST(MaskedSoftmax, WhatIsMaskedDoesNotMatter) {
  const OpExample example = {.op = "masked_softmax",
                             .shapes = {{"x", {3}}},
                             .attrs = {},
                             .inputs = {{"x", {0, 0, kNan}}, {"masked", {0, 0, 1}}, {"dy", {1, 0, 5}}}};
  expect_outputs(example, {{"y", {0.5, 0.5, 0}}, {"dx", {0.25, -0.25, 0}}});
}

TEST(MaskedSoftmax, OneMaskForAllRows) {
  const OpExample example = {.op = "masked_softmax",
                             .shapes = {{"x", {2, 2}}, {"masked", {2}}},
                             .attrs = {},
                             .inputs = {{"x", {3, 4, 5, 6}}, {"masked", {1, 0}}, {"dy", {1, 1, 1, 1}}}};
  expect_outputs(example, {{"y", {0, 1, 0, 1}}, {"dx", {0, 0, 0, 0}}});
}

}  // namespace
}  // namespace fusecheck
