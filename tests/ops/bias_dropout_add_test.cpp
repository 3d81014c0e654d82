// BiasDropoutAdd: y = residual + (x + b)·keep/(1 - p).
#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

TEST(BiasDropoutAdd, WorkedExample) {
  const OpExample example = {
      .op = "BiasDropoutAdd",
      .shapes = {{"x", {1, 2}}},
      .attrs = {},
      .inputs = {{"x", {1, 2}}, {"b", {1, -1}}, {"keep", {1, 0}}, {"residual", {10, 20}}, {"dy", {3, 4}}}};
  expect_outputs(example, {{"y", {14, 20}}, {"dx", {6, 0}}, {"db", {6, 0}}, {"dresidual", {3, 4}}});
}

TEST(BiasDropoutAdd, TheBiasIsSummedOverAllRows) {
  const OpExample example = {.op = "BiasDropoutAdd",
                             .shapes = {{"x", {2, 1, 2}}},
                             .attrs = {{"p", {0.75}}},
                             .inputs = {{"x", {0, 0, 0, 0}},
                                        {"b", {1, 2}},
                                        {"keep", {1, 1, 0, 1}},
                                        {"residual", {0, 0, 0, 0}},
                                        {"dy", {1, 2, 4, 8}}}};
  expect_outputs(example, {{"y", {4, 8, 0, 8}}, {"dx", {4, 8, 0, 32}}, {"db", {4, 40}}});
}

}  // namespace
}  // namespace fusecheck
