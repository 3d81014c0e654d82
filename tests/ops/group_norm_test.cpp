// group_norm over groups of channels.
#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using ::testing::HasSubstr;
using testing::OpExample;

TEST(GroupNorm, WorkedExample) {
  const OpExample example = {
      .op = "group_norm",
      .shapes = {{"x", {1, 4}}},
      .attrs = {{"eps", {0}}, {"num_groups", {2}}},
      .inputs = {{"x", {1, 3, 10, 6}}, {"gamma", {1, 2, 1, 1}}, {"beta", {0, 0, 0, 5}}, {"dy", {1, 0, 0, 2}}}};
  expect_outputs(example, {{"y", {-1, 2, 1, 4}},
                           {"dx", {0, 0, 0, 0}},
                           {"dgamma", {-1, 0, 0, -2}},
                           {"dbeta", {1, 0, 0, 2}},
                           {"saved_mean", {2, 8}},
                           {"saved_rstd", {1, 0.5}}});
}

// The numbers of layer_norm; gamma and beta are those of the channel.
TEST(GroupNorm, OneGroupOfChannelsAndPositions) {
  const OpExample example = {
      .op = "group_norm",
      .shapes = {{"x", {1, 2, 2}}},
      .attrs = {{"eps", {0}}},
      .inputs = {{"x", {0, 0, 4, 4}}, {"gamma", {1, 2}}, {"beta", {1, 0}}, {"dy", {4, 0, 0, 0}}}};
  expect_outputs(example, {{"y", {0, 0, 2, 2}}, {"dx", {1, -1, 0, 0}}, {"dgamma", {-4, 0}}, {"dbeta", {4, 0}}});
}

TEST(GroupNorm, RefusesGroupsThatDoNotDivide) {
  testing::expect_error(ErrorKind::usage, HasSubstr("num_groups 3 must divide its channels"), [] {
    context_of(
        OpExample{.op = "group_norm", .shapes = {{"x", {2, 4, 5}}}, .attrs = {{"num_groups", {3}}}, .inputs = {}});
  });
}

}  // namespace
}  // namespace fusecheck
