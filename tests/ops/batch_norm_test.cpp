// batch_norm: y = gamma·(x - mean)/sqrt(var + eps) + beta, with given statistics or those of the batch.
#include <gtest/gtest.h>

#include <limits>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using ::testing::AllOf;
using testing::expect_outputs;
using ::testing::HasSubstr;
using testing::OpExample;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

OpExample one_channel(const std::vector<double>& x, const std::vector<double>& dy, double gamma, double eps,
                      bool train) {
  return {.op = "batch_norm",
          .shapes = {{"x", {static_cast<std::int64_t>(x.size()), 1}}},
          .attrs = {{"eps", {eps}}, {"momentum", {0.25}}, {"bn", {train ? 1.0 : 0.0}}},
          .inputs = {{"x", x}, {"gamma", {gamma}}, {"beta", {1}}, {"mean", {4}}, {"var", {8}}, {"dy", dy}}};
}

// The header's example. Running statistics with momentum 1/4: mean 3/4·4 + 1/4·2 = 3.5; the unbiased variance is
// v·n/(n-1) = 1·2/1 = 2, so var is 3/4·8 + 1/4·2 = 6.5 (the biased one would give 6.25).
TEST(BatchNorm, WorkedExampleOfTraining) {
  expect_outputs(one_channel({1, 3}, {1, 0}, 2, 0, true), {{"y", {-1, 3}},
                                                           {"dbeta", {1}},
                                                           {"dgamma", {-1}},
                                                           {"dx", {0, 0}},
                                                           {"saved_mean", {2}},
                                                           {"saved_rstd", {1}},
                                                           {"running_mean", {3.5}},
                                                           {"running_var", {6.5}}});
}

// x = [0,0,0,4]: mu = 1, v = (1+1+1+9)/4 = 3, eps = 1, so rstd = 1/2 and xhat = [-1,-1,-1,3]/2; gamma = 2: y = 2·xhat
// + 1. dy = [4,0,0,0]: dbeta = 4, dgamma = -2, dx = 2/2·(dy - 4/4 - xhat·(-2)/4) = [3,-1,-1,-1] + [-1,-1,-1,3]/4. The
// unbiased variance is 3·4/3 = 4: running_var = 3/4·8 + 1/4·4 = 7; running_mean = 3/4·4 + 1/4·1 = 3.25.
TEST(BatchNorm, TrainingWithEps) {
  expect_outputs(one_channel({0, 0, 0, 4}, {4, 0, 0, 0}, 2, 1, true), {{"y", {0, 0, 0, 4}},
                                                                       {"dbeta", {4}},
                                                                       {"dgamma", {-2}},
                                                                       {"dx", {2.75, -1.25, -1.25, -0.25}},
                                                                       {"running_mean", {3.25}},
                                                                       {"running_var", {7}}});
}

// mean = 4, var = 8 and eps = 8: rstd = 1/4; x = [6, 0]: xhat = [1/2, -1], y = 4·xhat + 1, dgamma = 1·1/2 + 2·(-1),
// dx = dy·4/4.
TEST(BatchNorm, InferenceUsesTheGivenStatistics) {
  const OpExample example = one_channel({6, 0}, {1, 2}, 4, 8, false);
  expect_outputs(example, {{"y", {3, -3}}, {"dbeta", {3}}, {"dgamma", {-1.5}}, {"dx", {1, 2}}});
  EXPECT_FALSE(body_outputs(example).contains("running_mean"));
}

// y is beta wherever gamma is 0, and no gradient reaches x; gamma's own is what it would be: Σ dy·xhat = -1 as above.
TEST(BatchNorm, GammaZero) {
  expect_outputs(one_channel({1, 3}, {1, 0}, 0, 0, true),
                 {{"y", {1, 1}}, {"dx", {0, 0}}, {"dgamma", {-1}}, {"dbeta", {1}}});
}

// A constant channel: v = 0, so rstd = 1/sqrt(eps) = 4 and xhat = 0; dx = 2·4·(dy - 1/2).
TEST(BatchNorm, VarianceZeroLeavesEps) {
  expect_outputs(one_channel({5, 5}, {1, 0}, 2, 0.0625, true),
                 {{"y", {1, 1}}, {"dgamma", {0}}, {"dx", {4, -4}}, {"saved_rstd", {4}}});
}

// Without eps a constant channel is 0/0.
TEST(BatchNorm, VarianceZeroWithoutEpsIsNan) {
  expect_outputs(one_channel({5, 5}, {1, 0}, 2, 0, true), {{"y", {kNan, kNan}}, {"dx", {kNan, kNan}}});
}

// Statistics run over all axes but the second: channel 0 is [0, 2, 0, 2], channel 1 is [8, 16, 8, 16].
TEST(BatchNorm, StatisticsOfEachChannel) {
  const OpExample example = {.op = "batch_norm",
                             .shapes = {{"x", {2, 2, 2}}},
                             .attrs = {{"eps", {0}}, {"bn", {1}}},
                             .inputs = {{"x", {0, 2, 8, 16, 0, 2, 8, 16}},
                                        {"gamma", {1, 2}},
                                        {"beta", {0, 10}},
                                        {"mean", {0, 0}},
                                        {"var", {1, 1}},
                                        {"dy", {1, 2, 3, 4, 5, 6, 7, 8}}}};
  expect_outputs(
      example,
      {{"y", {-1, 1, 8, 12, -1, 1, 8, 12}}, {"saved_mean", {1, 12}}, {"saved_rstd", {1, 0.25}}, {"dbeta", {14, 22}}});
}

// scale·x + (beta - scale·mean) in f32, with scale = 1/3, mean = 3072, x = 3073, beta = 0: scale = 11184811·2^-25,
// times 3072 is 1024·(1 + 2^-25), rounded 1024; times 3073 is 1024 + 2730.92/8192, rounded 1024 + 2731/8192. So y =
// 2731/8192 instead of 1/3, 1,365 ULP away and legal. Eleven roundings of numbers near 1024 give at most 11·1024·2^-24
// < 2^-10.
TEST(BatchNorm, AScaleAndAShiftAreLegalInInference) {
  const OpExample example = {
      .op = "batch_norm",
      .shapes = {{"x", {1, 1}}},
      .attrs = {{"eps", {0}}},
      .inputs = {{"x", {3073}}, {"gamma", {1}}, {"beta", {0}}, {"mean", {3072}}, {"var", {9}}, {"dy", {1}}}};
  const run::Context context = context_of(example);
  run::Memo memo({});
  const run::TruthRun truth = run::run_truth(context, run::find_schedule(context, "unfused", {}),
                                             tensors_of(example, context), run::TruthOptions{}, memo, false);
  const Expected& y = truth.outputs.at("y");
  EXPECT_LE(y.low[0], 2731.0 / 8192);
  EXPECT_GE(y.high[0], 2731.0 / 8192);
  EXPECT_LT(y.high[0] - y.low[0], 2 * 0x1p-10);
  EXPECT_NEAR(y.truth[0], 1.0 / 3, 0x1p-25);
}

TEST(BatchNorm, RefusesTrainingOnOneValue) {
  testing::expect_error(
      ErrorKind::usage,
      AllOf(HasSubstr("--bn train needs more than one value per channel, got 1 (x = 1x3x1x1)"), HasSubstr("n - 1")),
      [] {
        context_of(
            OpExample{.op = "batch_norm", .shapes = {{"x", {1, 3, 1, 1}}}, .attrs = {{"bn", {1}}}, .inputs = {}});
      });
}

TEST(BatchNorm, RefusesWrongShapes) {
  testing::expect_error(ErrorKind::usage, HasSubstr("gamma has shape 3, expected 2 (one number for each channel)"), [] {
    context_of(OpExample{.op = "batch_norm", .shapes = {{"x", {4, 2}}, {"gamma", {3}}}, .attrs = {}, .inputs = {}});
  });
  testing::expect_error(ErrorKind::usage, HasSubstr("eps -1 is outside [0,"), [] {
    context_of(OpExample{.op = "batch_norm", .shapes = {{"x", {4, 2}}}, .attrs = {{"eps", {-1}}}, .inputs = {}});
  });
}

}  // namespace
}  // namespace fusecheck
