// min: y = min(a, b).
#include <gtest/gtest.h>

#include <limits>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Min, WorkedExample) {
  const OpExample example = {.op = "min",
                             .shapes = {{"a", {3}}},
                             .attrs = {},
                             .inputs = {{"a", {3, 2, 4}}, {"b", {1, 2, 5}}, {"dy", {4, 2, 4}}}};
  expect_outputs(example, {{"y", {1, 2, 4}}, {"da", {0, 1, 4}}, {"db", {4, 1, 0}}});
}

TEST(Min, NanWins) {
  const OpExample example = {
      .op = "min", .shapes = {{"a", {2}}}, .attrs = {}, .inputs = {{"a", {kNan, 1}}, {"b", {1, kNan}}, {"dy", {1, 1}}}};
  expect_outputs(example, {{"y", {kNan, kNan}}});
}

// db is the sum over both rows of the dy that b won.
TEST(Min, Broadcasts) {
  const OpExample example = {.op = "min",
                             .shapes = {{"a", {2, 2}}, {"b", {2}}},
                             .attrs = {},
                             .inputs = {{"a", {1, 5, 7, 3}}, {"b", {4, 4}}, {"dy", {1, 2, 4, 8}}}};
  expect_outputs(example, {{"y", {1, 4, 4, 3}}, {"da", {1, 0, 0, 8}}, {"db", {4, 2}}});
}

// Equal operands: half of dy = 4 each, unless all of it is a's.
TEST(Min, WhoGetsTheGradientOfATie) {
  OpExample example = {
      .op = "min", .shapes = {{"a", {1}}}, .attrs = {{"ties", {1}}}, .inputs = {{"a", {2}}, {"b", {2}}, {"dy", {4}}}};
  expect_outputs(example, {{"y", {2}}, {"da", {2}}, {"db", {2}}});
  example.attrs = {{"ties", {2}}};
  expect_outputs(example, {{"y", {2}}, {"da", {4}}, {"db", {0}}});
}

}  // namespace
}  // namespace fusecheck
