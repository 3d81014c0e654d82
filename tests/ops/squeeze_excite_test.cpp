// SqueezeExcite: y = x·hard_sigmoid(w2·relu(w1·mean(x) + b1) + b2).
#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

OpExample example(double b1, double b2) {
  return {.op = "SqueezeExcite",
          .shapes = {{"x", {1, 1, 1, 2}}, {"b1", {1}}, {"b2", {1}}},
          .attrs = {},
          .inputs = {{"x", {2, 4}}, {"w1", {1}}, {"b1", {b1}}, {"w2", {3}}, {"b2", {b2}}, {"dy", {6, 0}}}};
}

// p = 3, r = 2, e = 6 - 6 = 0, g = 1/2.  dg = 6·2 = 12, de = 12/6, dr = 3·2 = da = dp, of which each pixel gets a half.
TEST(SqueezeExcite, WorkedExample) {
  expect_outputs(example(-1, -6),
                 {{"y", {1, 2}}, {"dx", {6, 3}}, {"dw2", {4}}, {"db2", {2}}, {"dw1", {18}}, {"db1", {6}}});
}

// e = 6 + 0 > 3: the gate is open, g = 1, and nothing flows back through it.
TEST(SqueezeExcite, OpenGate) {
  expect_outputs(example(-1, 0),
                 {{"y", {2, 4}}, {"dx", {6, 0}}, {"dw2", {0}}, {"db2", {0}}, {"dw1", {0}}, {"db1", {0}}});
}

// b1 = -4 closes the inner relu: r = 0, e = 0, g = 1/2; db2 = de = 2 is all that is left.
TEST(SqueezeExcite, ClosedRelu) {
  expect_outputs(example(-4, 0),
                 {{"y", {1, 2}}, {"dx", {3, 0}}, {"dw2", {0}}, {"db2", {2}}, {"dw1", {0}}, {"db1", {0}}});
}

}  // namespace
}  // namespace fusecheck
