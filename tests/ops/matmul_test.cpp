#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

// [[1, 2], [3, 4]]·[[1, 0], [2, 1]]
TEST(MatMul, WorkedExample) {
  const OpExample example = {.op = "matmul",
                             .shapes = {{"a", {2, 2}}},
                             .attrs = {},
                             .inputs = {{"a", {1, 2, 3, 4}}, {"b", {1, 0, 2, 1}}, {"dy", {1, 1, 1, 1}}}};
  expect_outputs(example, {{"c", {5, 2, 11, 4}}, {"da", {1, 3, 1, 3}}, {"db", {4, 4, 6, 6}}});
}

// The same product with both operands stored transposed: the gradients come back in the stored layout.
TEST(MatMul, Transposed) {
  const OpExample example = {.op = "matmul",
                             .shapes = {{"a", {2, 2}}},
                             .attrs = {{"transpose_a", {1}}, {"transpose_b", {1}}},
                             .inputs = {{"a", {1, 3, 2, 4}}, {"b", {1, 2, 0, 1}}, {"dy", {1, 1, 1, 1}}}};
  expect_outputs(example, {{"c", {5, 2, 11, 4}}, {"da", {1, 1, 3, 3}}, {"db", {4, 6, 4, 6}}});
}

// Two rows of a batch against one b [2, 1]: db sums over the batch. And two batches of b against one a.
TEST(MatMul, BroadcastsTheBatch) {
  const OpExample left = {.op = "matmul",
                          .shapes = {{"a", {2, 1, 2}}, {"b", {2, 1}}},
                          .attrs = {},
                          .inputs = {{"a", {1, 2, 3, 4}}, {"b", {10, 1}}, {"dy", {1, 2}}}};
  expect_outputs(left, {{"c", {12, 34}}, {"da", {10, 1, 20, 2}}, {"db", {7, 10}}});
  const OpExample right = {.op = "matmul",
                           .shapes = {{"a", {1, 2}}, {"b", {2, 2, 1}}},
                           .attrs = {},
                           .inputs = {{"a", {1, 2}}, {"b", {10, 1, 3, 5}}, {"dy", {1, 2}}}};
  expect_outputs(right, {{"c", {12, 13}}, {"da", {16, 11}}, {"db", {1, 2, 2, 4}}});
}

TEST(MatMul, RefusesWhatDoesNotFit) {
  const OpExample example = {.op = "matmul",
                             .shapes = {{"a", {2, 3}}, {"b", {2, 3}}},
                             .attrs = {},
                             .inputs = {{"a", {}}, {"b", {}}, {"dy", {}}}};
  testing::expect_error(ErrorKind::usage, ::testing::HasSubstr("2x3 times 2x3 does not fit"),
                        [&] { testing::context_of(example); });
}

}  // namespace
}  // namespace fusecheck
