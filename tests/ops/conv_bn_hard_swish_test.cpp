// ConvBnHardSwish.
#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

// The example of family/conv_bn.hpp with beta = -8: z = 2·6 - 2·2 - 8 = 0, hard_swish(0) = 0, hard_swish'(0) = 3/6.
TEST(ConvBnHardSwish, HalvesEveryGradientAtZero) {
  testing::expect_outputs(
      {.op = "ConvBnHardSwish",
       .shapes = {{"x", {1, 1, 1, 1}}},
       .attrs = {{"kernel", {1}}, {"eps", {1}}},
       .inputs = {{"x", {3}}, {"w", {2}}, {"gamma", {4}}, {"beta", {-8}}, {"mean", {2}}, {"var", {3}}, {"dy", {1}}}},
      {{"y", {0}}, {"dx", {2}}, {"dw", {3}}, {"dbeta", {0.5}}, {"dgamma", {1}}});
}

}  // namespace
}  // namespace fusecheck
