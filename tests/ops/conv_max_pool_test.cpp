// ConvMaxPool: y = max over windows of conv(x, w) + b.
#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

OpExample two_pixels(double w) {
  return {.op = "ConvMaxPool",
          .shapes = {{"x", {1, 1, 1, 2}}},
          .attrs = {{"kernel", {1}}, {"pool", {1, 2}}},
          .inputs = {{"x", {1, 3}}, {"w", {w}}, {"b", {1}}, {"dy", {5}}}};
}

// z = [3, 7]: the second wins. dx = 5·2, dw = 5·3.
TEST(ConvMaxPool, WorkedExample) {
  expect_outputs(two_pixels(2), {{"y", {7}}, {"dx", {0, 10}}, {"dw", {15}}, {"db", {5}}, {"mask", {0, 1}}});
}

// z = [-1, -5]: the first wins, and nothing cuts the negative value off.
TEST(ConvMaxPool, NegativeWinner) {
  expect_outputs(two_pixels(-2), {{"y", {-1}}, {"dx", {-10, 0}}, {"dw", {5}}, {"db", {5}}});
}

// z = 1, 4, 2 in windows of 2 at stride 1: the middle one wins both, dz = 3 + 5.
TEST(ConvMaxPool, OverlappingWindows) {
  expect_outputs({.op = "ConvMaxPool",
                  .shapes = {{"x", {1, 1, 1, 3}}},
                  .attrs = {{"kernel", {1}}, {"pool", {1, 2}}, {"pool_stride", {1}}},
                  .inputs = {{"x", {1, 4, 2}}, {"w", {1}}, {"b", {0}}, {"dy", {3, 5}}}},
                 {{"y", {4, 4}}, {"dx", {0, 8, 0}}, {"dw", {32}}, {"db", {8}}});
}

}  // namespace
}  // namespace fusecheck
