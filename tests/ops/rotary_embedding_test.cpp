// rotary_embedding: y = x·cos + r(x)·sin.
#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using ::testing::HasSubstr;
using testing::OpExample;

TEST(RotaryEmbedding, WorkedExample) {
  const OpExample example = {.op = "rotary_embedding",
                             .shapes = {{"x", {1, 2}}},
                             .attrs = {},
                             .inputs = {{"x", {1, 2}}, {"cos", {3, 3}}, {"sin", {5, 5}}, {"dy", {1, 0}}}};
  expect_outputs(example, {{"y", {-7, 11}}, {"dx", {3, -5}}});
}

// r pairs (1, 3) and (2, 4); its transpose is -r.
TEST(RotaryEmbedding, Halves) {
  const OpExample example = {
      .op = "rotary_embedding",
      .shapes = {{"x", {1, 4}}},
      .attrs = {},
      .inputs = {{"x", {1, 2, 3, 4}}, {"cos", {0, 0, 0, 0}}, {"sin", {1, 1, 1, 1}}, {"dy", {1, 2, 3, 4}}}};
  expect_outputs(example, {{"y", {-3, -4, 1, 2}}, {"dx", {3, 4, -1, -2}}});
}

TEST(RotaryEmbedding, Neighbours) {
  const OpExample example = {
      .op = "rotary_embedding",
      .shapes = {{"x", {1, 4}}},
      .attrs = {{"interleaved", {1}}},
      .inputs = {{"x", {1, 2, 3, 4}}, {"cos", {0, 0, 0, 0}}, {"sin", {1, 1, 1, 1}}, {"dy", {1, 2, 3, 4}}}};
  expect_outputs(example, {{"y", {-2, 1, -4, 3}}, {"dx", {2, -1, 4, -3}}});
}

TEST(RotaryEmbedding, RefusesAnOddLength) {
  testing::expect_error(ErrorKind::usage, HasSubstr("and an even d"), [] {
    context_of(OpExample{.op = "rotary_embedding", .shapes = {{"x", {2, 3}}}, .attrs = {}, .inputs = {}});
  });
}

}  // namespace
}  // namespace fusecheck
