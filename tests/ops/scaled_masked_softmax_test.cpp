// ScaledMaskedSoftmax: softmax(scale·x) over what is not masked.
#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

TEST(ScaledMaskedSoftmax, WorkedExample) {
  const OpExample example = {.op = "ScaledMaskedSoftmax",
                             .shapes = {{"x", {3}}},
                             .attrs = {{"scale", {0.5}}},
                             .inputs = {{"x", {4, 4, 9}}, {"masked", {0, 0, 1}}, {"dy", {1, 0, 5}}}};
  expect_outputs(example, {{"y", {0.5, 0.5, 0}}, {"dx", {0.125, -0.125, 0}}});
}

// What -10000 instead of a mask costs: a row that is masked altogether becomes the softmax of its own logits.
TEST(ScaledMaskedSoftmax, ARowThatIsMaskedAltogether) {
  const OpExample example = {.op = "ScaledMaskedSoftmax",
                             .shapes = {{"x", {1, 2}}},
                             .attrs = {},
                             .inputs = {{"x", {4, 4}}, {"masked", {1, 1}}, {"dy", {1, 0}}}};
  for (const char* schedule : {"unfused", "fused"}) {
    testing::expect_equal(emulated_outputs(example, schedule), {{"y", {0, 0}}, {"dx", {0, 0}}}, schedule);
  }
  testing::expect_equal(emulated_outputs(example, "minus_10000"), {{"y", {0.5, 0.5}}}, "minus_10000");
}

}  // namespace
}  // namespace fusecheck
