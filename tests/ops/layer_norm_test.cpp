// layer_norm: y = (x - mean)/√(var + eps)·gamma + beta.
#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using ::testing::HasSubstr;
using testing::OpExample;

TEST(LayerNorm, WorkedExample) {
  const OpExample example = {
      .op = "layer_norm",
      .shapes = {{"x", {1, 4}}},
      .attrs = {{"eps", {0}}},
      .inputs = {{"x", {0, 0, 4, 4}}, {"gamma", {1, 2, 1, 4}}, {"beta", {1, 0, 0, 0}}, {"dy", {4, 0, 0, 0}}}};
  expect_outputs(example, {{"y", {0, -2, 1, 4}},
                           {"dx", {1, -1, 0, 0}},
                           {"dgamma", {-4, 0, 0, 0}},
                           {"dbeta", {4, 0, 0, 0}},
                           {"saved_mean", {2}},
                           {"saved_rstd", {0.5}}});
}

TEST(LayerNorm, SeveralAxes) {
  const OpExample example = {
      .op = "layer_norm",
      .shapes = {{"x", {1, 2, 2}}},
      .attrs = {{"eps", {0}}, {"axis", {1}}},
      .inputs = {{"x", {0, 0, 4, 4}}, {"gamma", {1, 2, 1, 4}}, {"beta", {1, 0, 0, 0}}, {"dy", {4, 0, 0, 0}}}};
  expect_outputs(example, {{"y", {0, -2, 1, 4}}, {"dx", {1, -1, 0, 0}}});
}

// v = 0: rstd = 1/√eps = 2, dx = 2·(dy - 1).
TEST(LayerNorm, AConstantRowGivesBeta) {
  const OpExample example = {
      .op = "layer_norm",
      .shapes = {{"x", {1, 4}}},
      .attrs = {{"eps", {0.25}}},
      .inputs = {{"x", {5, 5, 5, 5}}, {"gamma", {1, 1, 1, 1}}, {"beta", {1, 2, 3, 4}}, {"dy", {4, 0, 0, 0}}}};
  expect_outputs(example, {{"y", {1, 2, 3, 4}}, {"dx", {6, -2, -2, -2}}});
}

TEST(LayerNorm, RefusesAnAxisThatIsNotThere) {
  testing::expect_error(ErrorKind::usage, HasSubstr("axis=2: the tensor has rank 2"), [] {
    context_of(OpExample{.op = "layer_norm", .shapes = {{"x", {2, 3}}}, .attrs = {{"axis", {2}}}, .inputs = {}});
  });
}

TEST(LayerNorm, RefusesAnotherGamma) {
  testing::expect_error(ErrorKind::usage, HasSubstr("gamma has shape 2, expected 3"), [] {
    context_of(OpExample{.op = "layer_norm", .shapes = {{"x", {2, 3}}, {"gamma", {2}}}, .attrs = {}, .inputs = {}});
  });
}

}  // namespace
}  // namespace fusecheck
