// attention_softmax: shares of the keys that a query sees.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using ::testing::HasSubstr;
using testing::OpExample;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(AttentionSoftmax, WorkedExample) {
  expect_outputs({.op = "attention_softmax",
                  .shapes = {{"s", {1, 1, 1, 2}}},
                  .attrs = {},
                  .inputs = {{"s", {0, 0}}, {"dy", {1, 0}}}},
                 {{"p", {0.5, 0.5}}, {"ds", {0.25, -0.25}}});
}

// Two queries, four keys, all scores equal. Top left: query 0 sees one key, query 1 two. Bottom right: three and four.
TEST(AttentionSoftmax, CausalAtEitherEnd) {
  OpExample example = {.op = "attention_softmax",
                       .shapes = {{"s", {1, 1, 2, 4}}},
                       .attrs = {{"causal", {1}}},
                       .inputs = {{"s", {0, 0, 0, 0, 0, 0, 0, 0}}, {"dy", {1, 1, 1, 1, 1, 1, 1, 1}}}};
  expect_outputs(example, {{"p", {1, 0, 0, 0, 0.5, 0.5, 0, 0}}, {"ds", {0, 0, 0, 0, 0, 0, 0, 0}}});
  example.attrs["causal"] = {2};
  const testing::Numbers behind = testing::body_outputs(example);
  for (const int j : {0, 1, 2}) EXPECT_DOUBLE_EQ(behind.at("p").at(static_cast<std::size_t>(j)), 1.0 / 3);
  EXPECT_EQ(behind.at("p").at(3), 0);
  for (const int j : {4, 5, 6, 7}) EXPECT_EQ(behind.at("p").at(static_cast<std::size_t>(j)), 0.25);
}

// The rule: p = 0 and ds = 0 in a row that sees no key, by an additive mask or by a boolean one; scores that are hidden
// may be anything, infinity too.
TEST(AttentionSoftmax, ARowThatSeesNoKeyIsZero) {
  const testing::Numbers expected = {{"p", {0, 0, 0.5, 0.5}}, {"ds", {0, 0, 0.25, -0.25}}};
  expect_outputs({.op = "attention_softmax",
                  .shapes = {{"s", {1, 1, 2, 2}}, {"mask", {2, 1}}},
                  .attrs = {},
                  .inputs = {{"s", {1, 2, 3, 3}}, {"mask", {-kInfinity, 0}}, {"dy", {1, 0, 1, 0}}}},
                 expected);
  expect_outputs({.op = "attention_softmax",
                  .shapes = {{"s", {1, 1, 2, 2}}, {"keep", {1, 1, 2, 1}}},
                  .attrs = {},
                  .inputs = {{"s", {kInfinity, 2, 3, 3}}, {"keep", {0, 1}}, {"dy", {1, 0, 1, 0}}}},
                 expected);
}

// A mask adds to the scores: with s = [0, 5] and mask [5, 0] both keys count alike.
TEST(AttentionSoftmax, TheMaskIsAdded) {
  expect_outputs({.op = "attention_softmax",
                  .shapes = {{"s", {1, 1, 1, 2}}, {"mask", {2}}},
                  .attrs = {},
                  .inputs = {{"s", {0, 5}}, {"mask", {5, 0}}, {"dy", {1, 0}}}},
                 {{"p", {0.5, 0.5}}, {"ds", {0.25, -0.25}}});
}

// 2·tanh(±200/2) = ±2 in f64 and in f32: the shares are 1/(1 + e^4) and 1/(1 + e^-4), and nothing flows back.
TEST(AttentionSoftmax, SoftCapSaturates) {
  const OpExample example = {.op = "attention_softmax",
                             .shapes = {{"s", {1, 1, 1, 2}}},
                             .attrs = {{"soft_cap", {2}}},
                             .inputs = {{"s", {-200, 200}}, {"dy", {1, 0}}}};
  const testing::Numbers outputs = testing::body_outputs(example);
  EXPECT_NEAR(outputs.at("p").at(0), 1 / (1 + std::exp(4.0)), 1e-15);
  EXPECT_NEAR(outputs.at("ds").at(0), 0, 1e-80);
}

TEST(AttentionSoftmax, RefusesAMaskThatDoesNotBroadcast) {
  testing::expect_error(ErrorKind::usage, HasSubstr("mask has shape 2x1x2x2"), [] {
    testing::context_of({.op = "attention_softmax",
                         .shapes = {{"s", {1, 1, 2, 2}}, {"mask", {2, 1, 2, 2}}},
                         .attrs = {},
                         .inputs = {}});
  });
}

}  // namespace
}  // namespace fusecheck
