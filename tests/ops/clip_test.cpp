// clip: y = min(max(x, low), high).
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

TEST(Clip, WorkedExample) {
  const OpExample example = {.op = "clip",
                             .shapes = {{"x", {4}}},
                             .attrs = {{"low", {-1}}, {"high", {2}}},
                             .inputs = {{"x", {-3, -1, 1, 5}}, {"dy", {4, 4, 4, 4}}}};
  expect_outputs(example, {{"y", {-1, -1, 1, 2}}, {"dx", {0, 4, 4, 0}}});
}

TEST(Clip, NanAndInfinity) {
  const OpExample example = {.op = "clip",
                             .shapes = {{"x", {3}}},
                             .attrs = {{"low", {-1}}, {"high", {2}}},
                             .inputs = {{"x", {kNan, kInfinity, -kInfinity}}, {"dy", {4, 4, 4}}}};
  expect_outputs(example, {{"y", {kNan, 2, -1}}, {"dx", {4, 0, 0}}});
}

TEST(Clip, RefusesLimitsInTheWrongOrder) {
  testing::expect_error(ErrorKind::usage, HasSubstr("clip: low 1.000000 is not below high 1.000000"), [] {
    context_of(OpExample{.op = "clip", .shapes = {{"x", {4}}}, .attrs = {{"low", {1}}, {"high", {1}}}, .inputs = {}});
  });
}

}  // namespace
}  // namespace fusecheck
