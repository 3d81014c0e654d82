// add: y = a + b.
#include <gtest/gtest.h>

#include <limits>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using ::testing::HasSubstr;
using testing::OpExample;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Add, WorkedExample) {
  const OpExample example = {
      .op = "add", .shapes = {{"a", {2}}}, .attrs = {}, .inputs = {{"a", {1, 2}}, {"b", {10, 20}}, {"dy", {3, 4}}}};
  expect_outputs(example, {{"y", {11, 22}}, {"da", {3, 4}}, {"db", {3, 4}}});
}

TEST(Add, OppositeInfinitiesGiveNan) {
  const OpExample example = {
      .op = "add",
      .shapes = {{"a", {3}}},
      .attrs = {},
      .inputs = {{"a", {kInfinity, kInfinity, kNan}}, {"b", {-kInfinity, 1, 1}}, {"dy", {1, 1, 1}}}};
  expect_outputs(example, {{"y", {kNan, kInfinity, kNan}}, {"da", {1, 1, 1}}});
}

// 65504 + 16 = 65520 is the midpoint between the largest f16 and 2^16: nearest even goes to 2^16, which is infinity.
TEST(Add, OverflowsWhereTheTypeEnds) {
  OpExample example = {.op = "add",
                       .shapes = {{"a", {2}}},
                       .attrs = {},
                       .inputs = {{"a", {65504, 65504}}, {"b", {8, 16}}, {"dy", {1, 1}}},
                       .dtype = DType::f16};
  testing::expect_equal(emulated_outputs(example), {{"y", {65504, kInfinity}}}, "f16");
  example.dtype = DType::f32;
  testing::expect_equal(emulated_outputs(example), {{"y", {65512, 65520}}}, "f32");
}

// Rows of a meet the one row of b: db is the sum over both.
TEST(Add, Broadcasts) {
  const OpExample example = {.op = "add",
                             .shapes = {{"a", {2, 2}}, {"b", {2}}},
                             .attrs = {},
                             .inputs = {{"a", {1, 2, 3, 4}}, {"b", {10, 20}}, {"dy", {1, 2, 4, 8}}}};
  expect_outputs(example, {{"y", {11, 22, 13, 24}}, {"da", {1, 2, 4, 8}}, {"db", {5, 10}}});
}

TEST(Add, RefusesDifferentShapes) {
  testing::expect_error(ErrorKind::usage, HasSubstr("2x3 and 3x2"), [] {
    context_of(OpExample{.op = "add", .shapes = {{"a", {2, 3}}, {"b", {3, 2}}}, .attrs = {}, .inputs = {}});
  });
}

}  // namespace
}  // namespace fusecheck
