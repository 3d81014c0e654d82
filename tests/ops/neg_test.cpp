// neg: y = -x.
#include <gtest/gtest.h>

#include <limits>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Neg, WorkedExample) {
  const OpExample example = {
      .op = "neg", .shapes = {{"x", {2}}}, .attrs = {}, .inputs = {{"x", {1, -2}}, {"dy", {3, 4}}}};
  expect_outputs(example, {{"y", {-1, 2}}, {"dx", {-3, -4}}});
}

TEST(Neg, NanAndInfinity) {
  const OpExample example = {
      .op = "neg", .shapes = {{"x", {2}}}, .attrs = {}, .inputs = {{"x", {kNan, kInfinity}}, {"dy", {1, 1}}}};
  expect_outputs(example, {{"y", {kNan, -kInfinity}}});
}

}  // namespace
}  // namespace fusecheck
