// ConvBnReluConvBnRelu: two ConvBnRelu, the activation between them kept on chip.
#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

OpExample pair(double beta1) {
  return {.op = "ConvBnReluConvBnRelu",
          .shapes = {{"x", {1, 1, 1, 1}}},
          .attrs = {{"kernel", {1}}, {"kernel2", {1}}, {"eps", {0}}},
          .inputs = {{"x", {3}},
                     {"w1", {2}},
                     {"gamma1", {1}},
                     {"beta1", {beta1}},
                     {"mean1", {0}},
                     {"var1", {1}},
                     {"w2", {-1}},
                     {"gamma2", {-2}},
                     {"beta2", {0}},
                     {"mean2", {0}},
                     {"var2", {1}},
                     {"dy", {1}}}};
}

// mid = 3·2 = 6, y = -2·(-6) = 12.  h2 = mid·dy = 6: dw2 = -2·6, dgamma2 = -1·6.  dmid = -2·(-1) = 2: h1 = 3·2.
TEST(ConvBnReluConvBnRelu, WorkedExample) {
  expect_outputs(pair(0), {{"y", {12}},
                           {"dw2", {-12}},
                           {"dgamma2", {-6}},
                           {"dbeta2", {1}},
                           {"dw1", {6}},
                           {"dgamma1", {12}},
                           {"dbeta1", {2}},
                           {"dx", {4}}});
}

// beta1 = -7 makes the first half -1: mid = 0, so y = relu(0) = 0, and no gradient passes anywhere.
TEST(ConvBnReluConvBnRelu, TheInnerReluStopsEverything) {
  expect_outputs(pair(-7), {{"y", {0}}, {"dx", {0}}, {"dw1", {0}}, {"dw2", {0}}, {"dbeta1", {0}}, {"dbeta2", {0}}});
}

}  // namespace
}  // namespace fusecheck
