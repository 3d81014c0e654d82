// where: y = a where condition holds, else b.
#include <gtest/gtest.h>

#include <limits>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Where, WorkedExample) {
  const OpExample example = {.op = "where",
                             .shapes = {{"condition", {2}}},
                             .attrs = {},
                             .inputs = {{"condition", {1, 0}}, {"a", {2, 3}}, {"b", {4, 5}}, {"dy", {6, 7}}}};
  expect_outputs(example, {{"y", {2, 5}}, {"da", {6, 0}}, {"db", {0, 7}}});
}

TEST(Where, WhatIsNotChosenDoesNotMatter) {
  const OpExample example = {
      .op = "where",
      .shapes = {{"condition", {2}}},
      .attrs = {},
      .inputs = {{"condition", {1, 0}}, {"a", {2, kNan}}, {"b", {kInfinity, 5}}, {"dy", {6, 7}}}};
  expect_outputs(example, {{"y", {2, 5}}, {"da", {6, 0}}, {"db", {0, 7}}});
}

// b is read by the whole second row: db = 4 + 8.
TEST(Where, Broadcasts) {
  const OpExample example = {.op = "where",
                             .shapes = {{"condition", {2, 1}}, {"a", {2}}, {"b", {1}}},
                             .attrs = {},
                             .inputs = {{"condition", {1, 0}}, {"a", {1, 2}}, {"b", {9}}, {"dy", {1, 2, 4, 8}}}};
  expect_outputs(example, {{"y", {1, 2, 9, 9}}, {"da", {1, 2}}, {"db", {12}}});
}

}  // namespace
}  // namespace fusecheck
