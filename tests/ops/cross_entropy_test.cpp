// cross_entropy: ln Σ e^x - x[target].
#include <gtest/gtest.h>

#include <numbers>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using ::testing::HasSubstr;
using testing::OpExample;

TEST(CrossEntropy, WorkedExample) {
  const OpExample example = {.op = "cross_entropy",
                             .shapes = {{"x", {1, 2}}},
                             .attrs = {{"reduction", {2}}},
                             .inputs = {{"x", {0, 0}}, {"target", {1}}, {"dy", {4}}}};
  expect_outputs(example, {{"dx", {2, -2}}});
  EXPECT_DOUBLE_EQ(body_outputs(example).at("y").at(0), std::numbers::ln2);
}

// e^1000 overflows, e^(1000 - 1000) does not. Row 0: softmax = [1, 0], target 1.
TEST(CrossEntropy, LargeLogits) {
  const OpExample example = {.op = "cross_entropy",
                             .shapes = {{"x", {2, 2}}},
                             .attrs = {{"reduction", {0}}},
                             .inputs = {{"x", {1000, 0, 0, 1000}}, {"target", {1, 1}}, {"dy", {2, 2}}}};
  expect_outputs(example, {{"y", {1000, 0}}, {"dx", {2, -2, 0, 0}}});
}

// (1000 + 0)/2; the third row is left out.
TEST(CrossEntropy, TheMeanIsOverRowsThatCount) {
  const OpExample example = {.op = "cross_entropy",
                             .shapes = {{"x", {3, 2}}},
                             .attrs = {},
                             .inputs = {{"x", {1000, 0, 0, 1000, 5, 5}}, {"target", {1, 1, -100}}, {"dy", {4}}}};
  expect_outputs(example, {{"y", {500}}, {"dx", {2, -2, 0, 0, 0, 0}}});
}

TEST(CrossEntropy, RefusesAClassThatIsNotThere) {
  const OpExample example = {.op = "cross_entropy",
                             .shapes = {{"x", {1, 2}}},
                             .attrs = {},
                             .inputs = {{"x", {0, 0}}, {"target", {2}}, {"dy", {1}}}};
  testing::expect_error(ErrorKind::usage, HasSubstr("target 2 is outside [0, 2)"), [&] { body_outputs(example); });
}

}  // namespace
}  // namespace fusecheck
