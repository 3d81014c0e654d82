// ConvBn: y = gamma·(conv(x, w) + b - mean)/sqrt(var + eps) + beta.
#include <gtest/gtest.h>

#include "conv_bn_examples.hpp"
#include "support/expect_error.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::infer_example;
using testing::together;
using testing::train_example;
using testing::with;

TEST(ConvBn, WorkedExample) {
  expect_outputs(infer_example("ConvBn", 1), {{"y", {9}}, {"dx", {4}}, {"dw", {6}}, {"dgamma", {2}}, {"dbeta", {1}}});
}

// b = 1 makes conv 7: y = 2·(7 - 2) + 1 = 11, dgamma = (7 - 2)/2, db = s.
TEST(ConvBn, TheBiasIsNormalisedToo) {
  expect_outputs(with(infer_example("ConvBn", 1), "b", {1}),
                 {{"y", {11}}, {"dx", {4}}, {"dw", {6}}, {"db", {2}}, {"dgamma", {2.5}}, {"dbeta", {1}}});
}

// y = beta, and nothing flows to x or w; dgamma stays 2, it does not depend on gamma.
TEST(ConvBn, GammaZero) {
  expect_outputs(with(infer_example("ConvBn", 1), "gamma", {0}),
                 {{"y", {1}}, {"dx", {0}}, {"dw", {0}}, {"dgamma", {2}}, {"dbeta", {1}}});
}

// var = 0 and eps = 1/16: rstd = 4, s = 16: y = 16·(6 - 2) + 1, dx = 16·2, dw = 16·3, dgamma = (6 - 2)·4.
TEST(ConvBn, VarianceZeroLeavesEps) {
  testing::OpExample example = with(infer_example("ConvBn", 1), "var", {0});
  example.attrs["eps"] = {0.0625};
  expect_outputs(example, {{"y", {65}}, {"dx", {32}}, {"dw", {48}}, {"dgamma", {16}}, {"dbeta", {1}}});
}

// Two filters with their own statistics: conv = [3, 6]; s = [2, 1], y = [2·(3 - 1) + 0, 6 - 2 + 10]; dy = [1, 2]:
// dx = 2·1·1 + 1·2·2, dw = [2·3, 1·6], dgamma = [(3 - 1)·1, (6 - 2)·2/2].
TEST(ConvBn, EveryFilterHasItsOwnParameters) {
  const testing::OpExample example = {.op = "ConvBn",
                                      .shapes = {{"x", {1, 1, 1, 1}}},
                                      .attrs = {{"kernel", {1}}, {"oc", {2}}, {"eps", {0}}},
                                      .inputs = {{"x", {3}},
                                                 {"w", {1, 2}},
                                                 {"gamma", {2, 2}},
                                                 {"beta", {0, 10}},
                                                 {"mean", {1, 2}},
                                                 {"var", {1, 4}},
                                                 {"dy", {1, 2}}}};
  expect_outputs(example, {{"y", {4, 14}}, {"dx", {6}}, {"dw", {6, 6}}, {"dgamma", {2, 4}}, {"dbeta", {1, 2}}});
}

TEST(ConvBn, Training) {
  expect_outputs(train_example("ConvBn"), together({{"y", {0, 0, 0, 4}}}, together(testing::train_statistics(),
                                                                                   testing::train_gradients_of_dy())));
}

TEST(ConvBn, RefusesTrainingOnOneValue) {
  testing::OpExample example = infer_example("ConvBn", 1);
  example.attrs["bn"] = {1};
  testing::expect_error(ErrorKind::usage,
                        ::testing::HasSubstr("--bn train needs more than one value per channel, got 1"),
                        [&] { context_of(example); });
}

// Folding needs statistics that do not depend on the batch.
TEST(ConvBn, RefusesToFoldInTraining) {
  testing::expect_error(
      ErrorKind::usage,
      ::testing::HasSubstr(
          "recipe 'fold' of ConvBn is not for --bn train; choose epilogue, conv_stored, one_pass, unfused"),
      [] { emulated_outputs(train_example("ConvBn"), "fold"); });
}

}  // namespace
}  // namespace fusecheck
