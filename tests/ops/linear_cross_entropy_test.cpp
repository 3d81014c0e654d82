// LinearCrossEntropy: cross_entropy(x·wᵀ).
#include <gtest/gtest.h>

#include <numbers>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

TEST(LinearCrossEntropy, WorkedExample) {
  const OpExample example = {.op = "LinearCrossEntropy",
                             .shapes = {{"x", {1, 1}}, {"w", {2, 1}}},
                             .attrs = {{"reduction", {2}}},
                             .inputs = {{"x", {1}}, {"w", {0, 0}}, {"target", {1}}, {"dy", {4}}}};
  expect_outputs(example, {{"dx", {0}}, {"dw", {2, -2}}});
  EXPECT_DOUBLE_EQ(body_outputs(example).at("y").at(0), std::numbers::ln2);
}

}  // namespace
}  // namespace fusecheck
