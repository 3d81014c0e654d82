// FusedAttention: softmax(mask(c·q·kᵀ))·v, with an online softmax.
#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

// p = [1/2, 1/2], y = (2 + 6)/2; dp = v, ds = (2 - 4)/2, (6 - 4)/2.
TEST(FusedAttention, WorkedExample) {
  expect_outputs({.op = "FusedAttention",
                  .shapes = {{"q", {1, 1, 1, 1}}, {"k", {1, 1, 2, 1}}, {"v", {1, 1, 2, 1}}},
                  .attrs = {{"scale", {1}}},
                  .inputs = {{"q", {1}}, {"k", {0, 0}}, {"v", {2, 6}}, {"dy", {1}}}},
                 {{"y", {4}}, {"dv", {0.5, 0.5}}, {"dq", {0}}, {"dk", {-1, 1}}});
}

// Keys 0, 0 | 128 | 0 in tiles of two and one: the maximum rises from 0 to 128 and stays, and e^-128 = 2.6e-56 is 0 in
// f32, so the last key alone is left. Without the rescaling by e^(0 - 128) the first two would count as much as it.
TEST(FusedAttention, OnlineSoftmaxForgetsWhatALargerScoreOutweighs) {
  const OpExample example = {.op = "FusedAttention",
                             .shapes = {{"q", {1, 1, 1, 1}}, {"k", {1, 1, 4, 1}}, {"v", {1, 1, 4, 1}}},
                             .attrs = {{"scale", {1}}, {"tile", {2}}},
                             .inputs = {{"q", {1}}, {"k", {0, 0, 128, 0}}, {"v", {2, 6, 3, 8}}, {"dy", {1}}}};
  for (const char* recipe : {"online", "any_tile", "two_pass"}) {
    testing::expect_equal(emulated_outputs(example, recipe), {{"y", {3}}, {"dv", {0, 0, 1, 0}}, {"dq", {0}}}, recipe);
  }
}

// A first tile that is hidden as a whole, and a row that is hidden throughout.
TEST(FusedAttention, HiddenTilesAndRows) {
  expect_outputs({.op = "FusedAttention",
                  .shapes = {{"q", {1, 1, 2, 1}}, {"k", {1, 1, 2, 1}}, {"v", {1, 1, 2, 1}}, {"keep", {2, 2}}},
                  .attrs = {{"scale", {1}}, {"tile", {1}}},
                  .inputs = {{"q", {1, 1}}, {"k", {1, 1}}, {"v", {2, 6}}, {"keep", {0, 1, 0, 0}}, {"dy", {1, 1}}}},
                 {{"y", {6, 0}}, {"dv", {0, 1}}, {"dq", {0, 0}}, {"dk", {0, 0}}});
}

}  // namespace
}  // namespace fusecheck
