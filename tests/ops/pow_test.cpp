// pow: y = x^p.
#include <gtest/gtest.h>

#include <limits>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Pow, WorkedExample) {
  const OpExample example = {
      .op = "pow", .shapes = {{"x", {2}}}, .attrs = {{"exponent", {3}}}, .inputs = {{"x", {2, -1}}, {"dy", {1, 2}}}};
  expect_outputs(example, {{"y", {8, -1}}, {"dx", {12, 6}}});
}

// y = 1/x^2, dx = -2·dy/x^3.
TEST(Pow, ReciprocalSquare) {
  const OpExample example = {
      .op = "pow", .shapes = {{"x", {2}}}, .attrs = {{"exponent", {-2}}}, .inputs = {{"x", {2, -1}}, {"dy", {8, 1}}}};
  expect_outputs(example, {{"y", {0.25, 1}}, {"dx", {-2, 2}}});
}

TEST(Pow, ZeroExponent) {
  const OpExample example = {
      .op = "pow", .shapes = {{"x", {2}}}, .attrs = {{"exponent", {0}}}, .inputs = {{"x", {2, -1}}, {"dy", {8, 1}}}};
  expect_outputs(example, {{"y", {1, 1}}, {"dx", {0, 0}}});
}

// √x, and dx = dy·(1/2)·x^(-1/2).
TEST(Pow, Roots) {
  const OpExample example = {
      .op = "pow", .shapes = {{"x", {2}}}, .attrs = {{"exponent", {0.5}}}, .inputs = {{"x", {4, 16}}, {"dy", {4, 8}}}};
  expect_outputs(example, {{"y", {2, 4}}, {"dx", {1, 1}}});
}

TEST(Pow, AnyOtherExponentRefusesNegativeNumbers) {
  const OpExample example = {.op = "pow",
                             .shapes = {{"x", {3}}},
                             .attrs = {{"exponent", {2.5}}},
                             .inputs = {{"x", {-1, 1, 0}}, {"dy", {2, 2, 2}}}};
  expect_outputs(example, {{"y", {kNan, 1, 0}}, {"dx", {kNan, 5, 0}}});
}

}  // namespace
}  // namespace fusecheck
