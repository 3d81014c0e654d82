#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

TEST(Mul, WorkedExample) {
  const OpExample example = {
      .op = "mul", .shapes = {{"a", {2}}}, .attrs = {}, .inputs = {{"a", {1, 2}}, {"b", {10, 20}}, {"dy", {3, 4}}}};
  expect_outputs(example, {{"y", {10, 40}}, {"da", {30, 80}}, {"db", {3, 8}}});
}

// a [2, 1] and b [3]: da[i] = Σ_j dy[i, j]·b[j], db[j] = Σ_i dy[i, j]·a[i].
TEST(Mul, BroadcastsBothOperands) {
  const OpExample example = {.op = "mul",
                             .shapes = {{"a", {2, 1}}, {"b", {3}}},
                             .attrs = {},
                             .inputs = {{"a", {2, 3}}, {"b", {1, 4, 8}}, {"dy", {1, 0, 2, 0, 1, 1}}}};
  expect_outputs(example, {{"y", {2, 8, 16, 3, 12, 24}}, {"da", {17, 12}}, {"db", {2, 3, 7}}});
}

}  // namespace
}  // namespace fusecheck
