// attention_scores: s = c·q·kᵀ for every head.
#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using ::testing::HasSubstr;

TEST(AttentionScores, WorkedExample) {
  expect_outputs({.op = "attention_scores",
                  .shapes = {{"q", {1, 1, 1, 2}}, {"k", {1, 1, 2, 2}}},
                  .attrs = {{"scale", {2}}},
                  .inputs = {{"q", {1, 2}}, {"k", {3, 1, 0, 1}}, {"dy", {1, -1}}}},
                 {{"s", {10, 4}}, {"dq", {6, 0}}, {"dk", {2, 4, -2, -4}}});
}

// d = 4: the scale is 1/2. q·k = 4·1·1.
TEST(AttentionScores, TheScaleIsOneOverTheRootOfD) {
  expect_outputs({.op = "attention_scores",
                  .shapes = {{"q", {1, 1, 1, 4}}},
                  .attrs = {},
                  .inputs = {{"q", {1, 1, 1, 1}}, {"k", {1, 1, 1, 1}}, {"dy", {2}}}},
                 {{"s", {2}}, {"dq", {1, 1, 1, 1}}, {"dk", {1, 1, 1, 1}}});
}

// Four heads of q, two of k: heads 0 and 1 read key 3, heads 2 and 3 key 5. dk sums over the heads that share a key.
TEST(AttentionScores, HeadsShareKeysInBlocks) {
  expect_outputs({.op = "attention_scores",
                  .shapes = {{"q", {1, 4, 1, 1}}, {"k", {1, 2, 1, 1}}},
                  .attrs = {},
                  .inputs = {{"q", {1, 2, 3, 4}}, {"k", {3, 5}}, {"dy", {1, 10, 1, 10}}}},
                 {{"s", {3, 6, 15, 20}}, {"dq", {3, 30, 5, 50}}, {"dk", {21, 43}}});
}

TEST(AttentionScores, RefusesHeadsThatDoNotDivide) {
  testing::expect_error(ErrorKind::usage, HasSubstr("attention: heads of 1x3x2x4 and 1x2x2x4 do not fit"), [] {
    testing::context_of(
        {.op = "attention_scores", .shapes = {{"q", {1, 3, 2, 4}}, {"k", {1, 2, 2, 4}}}, .attrs = {}, .inputs = {}});
  });
}

}  // namespace
}  // namespace fusecheck
