// max: y = max(a, b).
#include <gtest/gtest.h>

#include <limits>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Max, WorkedExample) {
  const OpExample example = {.op = "max",
                             .shapes = {{"a", {3}}},
                             .attrs = {},
                             .inputs = {{"a", {3, 2, 4}}, {"b", {1, 2, 5}}, {"dy", {4, 2, 4}}}};
  expect_outputs(example, {{"y", {3, 2, 5}}, {"da", {4, 1, 0}}, {"db", {0, 1, 4}}});
}

TEST(Max, NanWins) {
  const OpExample example = {
      .op = "max", .shapes = {{"a", {2}}}, .attrs = {}, .inputs = {{"a", {kNan, 1}}, {"b", {1, kNan}}, {"dy", {1, 1}}}};
  expect_outputs(example, {{"y", {kNan, kNan}}});
}

// db is the sum over both rows of the dy that b won.
TEST(Max, Broadcasts) {
  const OpExample example = {.op = "max",
                             .shapes = {{"a", {2, 2}}, {"b", {2}}},
                             .attrs = {},
                             .inputs = {{"a", {1, 5, 7, 3}}, {"b", {4, 4}}, {"dy", {1, 2, 4, 8}}}};
  expect_outputs(example, {{"y", {4, 5, 7, 4}}, {"da", {0, 2, 4, 0}}, {"db", {1, 8}}});
}

// Equal operands: half of dy = 4 each, unless all of it is a's.
TEST(Max, WhoGetsTheGradientOfATie) {
  OpExample example = {
      .op = "max", .shapes = {{"a", {1}}}, .attrs = {{"ties", {1}}}, .inputs = {{"a", {2}}, {"b", {2}}, {"dy", {4}}}};
  expect_outputs(example, {{"y", {2}}, {"da", {2}}, {"db", {2}}});
  example.attrs = {{"ties", {2}}};
  expect_outputs(example, {{"y", {2}}, {"da", {4}}, {"db", {0}}});
}

}  // namespace
}  // namespace fusecheck
