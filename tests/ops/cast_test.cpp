// cast: y = x rounded to a type.
#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::OpExample;

// 257 lies between the bf16 values 256 and 258, and ties go to the even significand: 256.
TEST(Cast, WorkedExample) {
  OpExample example = {
      .op = "cast", .shapes = {{"x", {1}}}, .attrs = {{"to", {1}}}, .inputs = {{"x", {257}}, {"dy", {3}}}};
  testing::expect_equal(emulated_outputs(example), {{"y", {256}}, {"dx", {3}}}, "to bf16");
  testing::expect_equal(body_outputs(example), {{"y", {257}}, {"dx", {3}}}, "exact algebra passes it by");
  example.attrs["to"] = {2};
  testing::expect_equal(emulated_outputs(example), {{"y", {257}}}, "to f32");
}

}  // namespace
}  // namespace fusecheck
