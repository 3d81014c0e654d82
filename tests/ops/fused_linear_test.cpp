// FusedLinear: y = (x·w1 + b1)·w2 + b2, as two products or as one with merged weights.
#include <gtest/gtest.h>

#include <limits>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

// h = [1 + 2 + 1, 2 - 1] = [4, 1], y = 8 + 3 + 5.  dh = dy·w2ᵀ = [2, 3]: dx = [2, 2 + 3], dw1 = xᵀ·dh, dw2 = hᵀ·dy.
TEST(FusedLinear, WorkedExample) {
  const OpExample example = {
      .op = "FusedLinear",
      .shapes = {{"x", {1, 2}}, {"w1", {2, 2}}, {"w2", {2, 1}}},
      .attrs = {},
      .inputs = {{"x", {1, 2}}, {"w1", {1, 0, 1, 1}}, {"b1", {1, -1}}, {"w2", {2, 3}}, {"b2", {5}}, {"dy", {1}}}};
  expect_outputs(example,
                 {{"y", {16}}, {"dx", {2, 5}}, {"dw1", {2, 3, 4, 6}}, {"db1", {2, 3}}, {"dw2", {4, 1}}, {"db2", {1}}});
}

// x = 0: what is left is b1·w2 + b2 = 2·3 + 1 = 7. A merge that forgets b1 gives 1, one that forgets w2 gives 3.
TEST(FusedLinear, TheFirstBiasPassesTheSecondProduct) {
  expect_outputs({.op = "FusedLinear",
                  .shapes = {{"x", {1, 1}}, {"w1", {1, 1}}, {"w2", {1, 1}}},
                  .attrs = {},
                  .inputs = {{"x", {0}}, {"w1", {4}}, {"b1", {2}}, {"w2", {3}}, {"b2", {1}}, {"dy", {1}}}},
                 {{"y", {7}}, {"dx", {12}}, {"dw1", {0}}, {"db1", {3}}, {"dw2", {2}}, {"db2", {1}}});
}

// w1·w2 = 512·512 = 2^18 is beyond f16, where the chain h = 2^-9·512 = 1, y = 512 is not: merged weights overflow.
TEST(FusedLinear, MergedWeightsOverflowWhereTheChainDoesNot) {
  const OpExample example = {
      .op = "FusedLinear",
      .shapes = {{"x", {1, 1}}, {"w1", {1, 1}}, {"w2", {1, 1}}},
      .attrs = {},
      .inputs = {{"x", {0x1p-9}}, {"w1", {512}}, {"b1", {0}}, {"w2", {512}}, {"b2", {0}}, {"dy", {1}}},
      .dtype = DType::f16};
  testing::expect_equal(emulated_outputs(example, "chained"), {{"y", {512}}}, "chained");
  testing::expect_equal(emulated_outputs(example, "merged"), {{"y", {std::numeric_limits<double>::infinity()}}},
                        "merged");
}

}  // namespace
}  // namespace fusecheck
