// check() on small cases: what is refused, which recipe explains a kernel (J8), what is weak (J11), J12, exit codes.
#include "fusecheck/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "check/stage.hpp"
#include "support/expect_error.hpp"

namespace fusecheck {
namespace {

using ::testing::Contains;
using testing::expect_error;
using ::testing::HasSubstr;
using ::testing::Not;
using List = std::vector<double>;

CheckRequest request_of(const std::string& op, const Shape& x, DType dtype = DType::f16) {
  CheckRequest request;
  request.spec.op = op;
  request.spec.dtype = dtype;
  request.spec.shapes = {{"x", x}};
  request.spec.data = {DataSet::random};
  request.judge.standards = false;
  return request;
}

void give(CheckRequest& request, const std::string& name, const List& values) {
  const run::Context context = run::make_context(request.spec);
  request.inputs[name] = Tensor::from(context.dtype_of(name), context.shapes.at(name), std::span<const double>(values));
}

const OutputReport& row(const CheckReport& report, const std::string& candidate, const std::string& output) {
  const auto& rows = report.sets.at(0).outputs;
  return *std::find_if(rows.begin(), rows.end(),
                       [&](const OutputReport& r) { return r.candidate == candidate && r.output == output; });
}

TEST(Check, ExitCodes) {
  EXPECT_EQ(exit_code(Status::pass), 0);
  EXPECT_EQ(exit_code(Status::fail), 1);
  EXPECT_EQ(exit_code(Status::error), 3);
  EXPECT_EQ(exit_code(Status::weak), 4);
  EXPECT_EQ(exit_code(Status::skip), 4);
}

void expect_refusal(const CheckRequest& request, ErrorKind kind, const std::string& message) {
  expect_error(kind, HasSubstr(message), [&] { check(request); });
}

TEST(Check, RequiredOutputs) {
  CheckRequest request = request_of("relu", {2, 3});
  request.actual["y"] = Tensor(DType::f16, {2, 3});
  request.require = {"dx"};
  expect_refusal(request, ErrorKind::no_verdict, "hold no dx");
  request.require = {"dw"};
  expect_refusal(request, ErrorKind::usage, "relu gives y, dx");
}

TEST(Check, OutputsThatDoNotFit) {
  CheckRequest request = request_of("relu", {2, 3});
  request.actual = {{"Y", Tensor(DType::f16, {2, 3})}};
  expect_refusal(request, ErrorKind::usage, "--actual Y");
  request.actual = {{"y", Tensor(DType::f16, {3, 2})}};
  expect_refusal(request, ErrorKind::usage, "shape 3x2");
  request.actual = {{"y", Tensor(DType::f32, {2, 3})}};
  expect_refusal(request, ErrorKind::usage, "is f32, the case says f16");
  request.spec.passes = Passes::backward;
  request.actual = {{"y", Tensor(DType::f16, {2, 3})}};
  expect_refusal(request, ErrorKind::usage, "relu gives dx");
}

TEST(Check, NoDataSetIsNoPass) {
  CheckRequest request = request_of("relu", {2, 3});
  request.spec.data.clear();
  expect_refusal(request, ErrorKind::usage, "no data set");
}

// conv = 2048 + 1 = 2049 is a tie that f16 stores as 2048; 2048 + 1 again stores as 2048. Fused: 2050, an f16 value.
TEST(Check, FusedAgainstUnfused) {
  CheckRequest request = request_of("ConvAdd", {1, 2, 1, 1});
  request.spec.attrs.set("oc", {1});
  request.spec.attrs.set("kernel", {1});
  request.spec.passes = Passes::forward;
  give(request, "x", {2048, 1});
  give(request, "w", {1, 1});
  give(request, "residual", {1});
  request.max_diff = 1.5;
  CheckReport report = check(request);
  ASSERT_EQ(report.sets.at(0).differences.size(), 1u);
  EXPECT_EQ(report.sets[0].differences[0].max_abs, 2);
  EXPECT_EQ(report.sets[0].differences[0].max_ulp, 1);
  EXPECT_EQ(report.status, Status::fail);
  request.max_diff = 2;
  EXPECT_NE(check(request).status, Status::fail);
}

Status status_of(CheckRequest request, const std::string& output, const List& values) {
  const run::Context context = run::make_context(request.spec);
  request.actual[output] =
      Tensor::from(context.dtype_of(output), context.shapes.at(output), std::span<const double>(values));
  return row(check(request), "actual", output).judgement.status;
}

// At x = 3 the slope of x·min(max(x + 3, 0), 6)/6 is 3/2 from the left and 1 from the right; at -3, 0 and -1/2.
TEST(Check, EitherSlopeOfAKinkIsLegal) {
  CheckRequest request = request_of("hard_swish", {4}, DType::f32);
  give(request, "x", {3, -3, 6, 0});
  give(request, "dy", {4, 4, 4, 4});
  EXPECT_EQ(status_of(request, "dx", {4, 0, 4, 2}), Status::pass);
  EXPECT_EQ(status_of(request, "dx", {6, -2, 4, 2}), Status::pass);
  EXPECT_EQ(status_of(request, "dx", {7, 0, 4, 2}), Status::fail);
  EXPECT_EQ(status_of(request, "dx", {4, -3, 4, 2}), Status::fail);
}

// e^-t = 1 - t + t²/2 - ... with t = 2^-20 rounds to 1 - 2^-20 in f32: less 1, that is eight ULP from e^-t - 1.
TEST(Check, EluMayTakeOneFromARoundedExponential) {
  CheckRequest request = request_of("elu", {4}, DType::f32);
  give(request, "x", {-0x1p-20, 1, 2, -1});
  EXPECT_EQ(status_of(request, "y", {-0x1p-20, 1, 2, -0.63212056}), Status::pass);
  EXPECT_EQ(status_of(request, "y", {-0x1p-20 + 0x1p-41, 1, 2, -0.63212056}), Status::pass);
  EXPECT_EQ(status_of(request, "y", {-0x1.8p-20, 1, 2, -0.63212056}), Status::fail);
}

// Deviation 1 on a mean of 2^22: what f64 loses there, divided by a step of 2^-17 to 2^-23, is more than 1e-8.
TEST(Check, GradientsOnIllConditionedTensorsAreComparedOnDrawnData) {
  CheckRequest request = request_of("layer_norm", {2, 8}, DType::f32);
  List x;
  for (const double step : {1, -1, 2, -2, 0, 1, 0, -1, 2, 1, 0, -1, -2, 0, 1, -1}) x.push_back(0x1p22 + step);
  give(request, "x", x);
  const DataSetReport report = check(request).sets.at(0);
  EXPECT_LE(report.gradient_check, 1e-8);
  EXPECT_THAT(report.notes, Contains(HasSubstr("ill-conditioned")));
}

// x - max = -80.4 is off by up to 2^-18 in f32, so e^x = 1e-35 by that share and no more: 1e-14 is not legal.
TEST(Check, TheSmallSharesOfASoftmaxHaveSmallLimits) {
  CheckRequest request = request_of("softmax", {1, 4}, DType::f32);
  request.spec.passes = Passes::forward;
  const List x = {static_cast<double>(0.3F), static_cast<double>(-80.1F), static_cast<double>(-0.7F), -1};
  give(request, "x", x);
  List y;
  double total = 0;
  for (const double value : x) total += std::exp(value);
  for (const double value : x) y.push_back(std::exp(value) / total);
  EXPECT_NE(status_of(request, "y", y), Status::fail);
  y[1] = 1e-14;
  EXPECT_EQ(status_of(request, "y", y), Status::fail);
}

TEST(Check, AnOutputOfZerosIsWeak) {
  CheckRequest request = request_of("relu", {2, 3});
  give(request, "x", {-1, -2, -3, -4, -5, -6});
  const CheckReport report = check(request);
  EXPECT_EQ(row(report, "unfused", "y").judgement.status, Status::weak);
  EXPECT_THAT(row(report, "unfused", "y").judgement.reason, HasSubstr("zeros"));
  EXPECT_EQ(exit_code(report.status), 4);
}

// x > 0: relu copies.
TEST(Check, ACopyOfTheInputIsWeak) {
  CheckRequest request = request_of("relu", {2, 3});
  give(request, "x", {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(row(check(request), "unfused", "y").judgement.reason, HasSubstr("a copy of x"));
}

// Two outputs, and with this seed both exact sums are positive: relu shows nothing. The random ones have either sign.
TEST(Check, WhatExactDataCannotShowRandomDataMay) {
  CheckRequest request = request_of("ConvRelu", {1, 2, 1, 1});
  request.spec.seed = 2;
  request.spec.data = {DataSet::exact};
  EXPECT_EQ(check(request).status, Status::weak);
  request.spec.data = {DataSet::exact, DataSet::random};
  const CheckReport report = check(request);
  EXPECT_EQ(report.status, Status::pass);
  EXPECT_EQ(row(report, "unfused", "y").judgement.reason, "random only: no last step would pass");
  EXPECT_EQ(row(report, "unfused", "dx").judgement.reason, "");
}

// y = 2x > 0: relu changes nothing, which on the user's own tensors is said and not counted.
TEST(Check, BlindToTheLastStep) {
  CheckRequest request = request_of("ConvRelu", {1, 1, 1, 4});
  request.spec.attrs.set("kernel", {1});
  request.spec.passes = Passes::forward;
  give(request, "x", {1, 2, 3, 5});
  give(request, "w", {2});
  const CheckReport report = check(request);
  EXPECT_EQ(report.status, Status::pass);
  EXPECT_THAT(report.sets.at(0).notes, Contains("y: blind to: relu"));
}

// A kernel of one schedule, on what check() itself draws.
using Rounds = std::map<std::string, std::string, std::less<>>;

Tensors kernel_of(const CheckRequest& request, const std::string& recipe, const Rounds& rounds = {}) {
  const run::Context context = run::make_context(request.spec);
  CheckRequest again = request;
  DataSetReport report;
  run::Memo memo(engine::Execution{});
  Stage stage{again, context, run::draw_inputs(context, DataSet::random, request.spec.seed, false, {}),
              {},    memo,    report};
  stage.loaded = run::load(stage.inputs);
  zero_kinks(stage, false, {});
  run::EmulatedMemo emulated(engine::Execution{});
  return run::run_emulated(context, run::find_schedule(context, recipe, rounds), stage.inputs, {}, emulated).outputs;
}

CheckRequest conv_bn_relu() {
  CheckRequest request = request_of("ConvBnRelu", {2, 8, 9, 7});
  request.spec.recipe = "any";
  return request;
}

TEST(Check, AKernelIsExplainedByItsRecipe) {
  for (const char* recipe : {"epilogue", "fold", "conv_stored", "dconv_stored", "conv_saved", "unfused"}) {
    CheckRequest request = conv_bn_relu();
    request.actual = kernel_of(request, recipe);
    const CheckReport report = check(request);
    EXPECT_EQ(row(report, "actual", "y").judgement.status, Status::pass) << recipe;
    EXPECT_THAT(report.sets.at(0).explained_by, Contains(recipe));
    EXPECT_TRUE(report.kernel_judged);
  }
}

// y of `fold` and dx of `unfused` are each legal, and no one schedule gives both.
TEST(Check, OneRecipeHasToExplainAllOutputs) {
  CheckRequest request = conv_bn_relu();
  const Tensors fold = kernel_of(request, "fold");
  const Tensors unfused = kernel_of(request, "unfused");
  request.actual = {{"y", fold.at("y")}};
  EXPECT_THAT(check(request).sets.at(0).explained_by, Contains("fold"));
  request.actual = {{"dx", unfused.at("dx")}};
  EXPECT_THAT(check(request).sets.at(0).explained_by, Not(::testing::IsEmpty()));
  request.actual["y"] = fold.at("y");
  const CheckReport report = check(request);
  EXPECT_EQ(exit_code(report.status), 1);
  EXPECT_TRUE(report.sets.at(0).explained_by.empty());
  ASSERT_EQ(report.sets[0].nearest.size(), 3u);
  EXPECT_GT(report.sets[0].nearest[0].outside, 0);
  EXPECT_LE(report.sets[0].nearest[0].outside, report.sets[0].nearest[1].outside);
}

// The operands of the gradients' contractions in f32, as a reference in f32 has them: no unit for f16 does that, so it
// fails, with the line that declares it.
TEST(Check, KeptOperandsAreNamedAndNotExcused) {
  CheckRequest request = conv_bn_relu();
  request.actual = kernel_of(request, "epilogue", {{"dz", "keep"}, {"dconv", "keep"}});
  const CheckReport report = check(request);
  EXPECT_EQ(row(report, "actual", "dx").judgement.status, Status::fail);
  ASSERT_FALSE(report.sets.at(0).nearest.empty());
  EXPECT_EQ(report.sets[0].nearest[0].outside, 0);
  EXPECT_EQ(report.sets[0].nearest[0].declare, "--recipe epilogue --round dconv=keep --round dz=keep");
}

// J6: only NaN meets NaN. An infinite x makes every sum it enters infinite: nothing else is legal there, and the
// elements do not count as ambiguous.
TEST(Check, AnInfiniteInputDoesNotMakeAnythingLegal) {
  CheckRequest request = request_of("ConvRelu", {1, 1, 1, 4});
  request.spec.attrs.set("kernel", {1});
  request.spec.passes = Passes::forward;
  give(request, "x", {HUGE_VAL, 2, 3, 5});
  give(request, "w", {2});
  const List right = {HUGE_VAL, 4, 6, 10};
  const List wrong = {1000, 4, 6, 10};
  request.actual["y"] = Tensor::from(DType::f16, {1, 1, 1, 4}, std::span<const double>(right));
  const CheckReport report = check(request);
  EXPECT_EQ(row(report, "actual", "y").judgement.status, Status::pass);
  EXPECT_EQ(row(report, "actual", "y").judgement.ambiguous, 0);
  request.actual["y"] = Tensor::from(DType::f16, {1, 1, 1, 4}, std::span<const double>(wrong));
  EXPECT_EQ(row(check(request), "actual", "y").judgement.status, Status::fail);
}

}  // namespace
}  // namespace fusecheck
