// reduce_max over axes.
#include <gtest/gtest.h>

#include <limits>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using ::testing::HasSubstr;
using testing::OpExample;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(ReduceMax, WorkedExample) {
  const OpExample example = {
      .op = "reduce_max", .shapes = {{"x", {2, 2}}}, .attrs = {}, .inputs = {{"x", {1, 2, 3, 4}}, {"dy", {5, 6}}}};
  expect_outputs(example, {{"y", {2, 4}}, {"dx", {0, 5, 0, 6}}});
}

TEST(ReduceMax, TheFirstOfEqualsTakesTheGradient) {
  const OpExample example = {
      .op = "reduce_max", .shapes = {{"x", {1, 3}}}, .attrs = {}, .inputs = {{"x", {1, 3, 3}}, {"dy", {4}}}};
  expect_outputs(example, {{"y", {3}}, {"dx", {0, 4, 0}}, {"mask", {0, 1, 0}}});
}

TEST(ReduceMax, NanWins) {
  const OpExample example = {
      .op = "reduce_max", .shapes = {{"x", {1, 3}}}, .attrs = {}, .inputs = {{"x", {1, kNan, 3}}, {"dy", {4}}}};
  expect_outputs(example, {{"y", {kNan}}});
}

TEST(ReduceMax, RefusesAnAxisThatIsNotThere) {
  testing::expect_error(ErrorKind::usage, HasSubstr("axes=2: the tensor has rank 2"), [] {
    context_of(OpExample{.op = "reduce_max", .shapes = {{"x", {2, 2}}}, .attrs = {{"axes", {2}}}, .inputs = {}});
  });
}

}  // namespace
}  // namespace fusecheck
