#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

TEST(Softmax, WorkedExample) {
  const OpExample example = {
      .op = "softmax", .shapes = {{"x", {2}}}, .attrs = {}, .inputs = {{"x", {0, 0}}, {"dy", {1, 0}}}};
  expect_outputs(example, {{"y", {0.5, 0.5}}, {"dx", {0.25, -0.25}}});
}

// Equal logits of any size give equal shares, since the maximum is subtracted; e^-1000 is 0 in f32.
TEST(Softmax, LargeLogits) {
  const OpExample example = {.op = "softmax",
                             .shapes = {{"x", {2, 2}}},
                             .attrs = {},
                             .inputs = {{"x", {20000, 20000, 30000, 29000}}, {"dy", {0, 8, 1, 1}}}};
  const testing::Numbers outputs = testing::emulated_outputs(example);
  testing::expect_equal(outputs, {{"y", {0.5, 0.5, 1, 0}}, {"dx", {-2, 2, 0, 0}}}, "large logits");
}

// Along axis 0 each column is a distribution of its own.
TEST(Softmax, AlongAnotherAxis) {
  const OpExample example = {.op = "softmax",
                             .shapes = {{"x", {2, 3}}},
                             .attrs = {{"axis", {0}}},
                             .inputs = {{"x", {1, 2, 3, 1, 2, 3}}, {"dy", {4, 0, 0, 0, 0, 4}}}};
  expect_outputs(example, {{"y", {0.5, 0.5, 0.5, 0.5, 0.5, 0.5}}, {"dx", {1, 0, -1, -1, 0, 1}}});
}

TEST(Softmax, RefusesAnAxisThatIsNotThere) {
  const OpExample example = {
      .op = "softmax", .shapes = {{"x", {2}}}, .attrs = {{"axis", {1}}}, .inputs = {{"x", {0, 0}}, {"dy", {1, 0}}}};
  testing::expect_error(ErrorKind::usage, ::testing::HasSubstr("axis=1: the tensor has rank 1"),
                        [&] { testing::context_of(example); });
}

}  // namespace
}  // namespace fusecheck
