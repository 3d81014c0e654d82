// LayerNormProjection: y = layer_norm(x)·w.
#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

// dn = 4 everywhere: dbeta = 4, dgamma = 4·xhat.
TEST(LayerNormProjection, WorkedExample) {
  const OpExample example = {
      .op = "LayerNormProjection",
      .shapes = {{"x", {1, 4}}, {"w", {4, 1}}},
      .attrs = {{"eps", {0}}},
      .inputs = {
          {"x", {0, 0, 4, 4}}, {"gamma", {1, 2, 1, 4}}, {"beta", {1, 0, 0, 0}}, {"w", {1, 1, 1, 1}}, {"dy", {4}}}};
  expect_outputs(example, {{"y", {3}}, {"dw", {0, -8, 4, 16}}, {"dbeta", {4, 4, 4, 4}}, {"dgamma", {-4, -4, 4, 4}}});
}

}  // namespace
}  // namespace fusecheck
