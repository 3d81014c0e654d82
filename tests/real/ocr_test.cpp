// A layer of a trained network against ONNX Runtime (conv_bn_add/README.md), and what must not pass in its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "check/stage.hpp"
#include "fusecheck/check.hpp"
#include "run/run.hpp"
#include "support/run_command.hpp"

namespace fusecheck::testing {
namespace {

using ::testing::Each;
using ::testing::Ge;
using ::testing::HasSubstr;

constexpr double eps = 9.999999747378752e-06;
constexpr std::size_t channels = 32, filters = 8, plane = 6 * 96, width = 96;
constexpr std::int64_t elements = 8 * 6 * 96;

std::filesystem::path file(const std::string& name) {
  return std::filesystem::path(FUSECHECK_SOURCE_DIR) / "tests/real/conv_bn_add" / (name + ".npy");
}

Tensors inputs_of(const std::string& op) {
  Tensors inputs;
  for (const char* name : {"x", "w", "gamma", "beta", "mean", "var"}) inputs[name] = read_tensor(file(name));
  if (op != "ConvBn") inputs["residual"] = read_tensor(file("residual"));
  return inputs;
}

CaseSpec spec_of(const std::string& op) {
  CaseSpec spec;
  spec.op = op;
  spec.dtype = DType::f32;
  spec.shapes = {{"x", {1, 32, 6, 96}}, {"w", {8, 32, 1, 1}}};
  spec.attrs.set("oc", {8});
  spec.attrs.set("kernel", {1});
  spec.attrs.set("eps", {eps});
  spec.passes = Passes::forward;
  spec.data = {DataSet::random};
  return spec;
}

std::vector<double> values_of(const std::string& name) { return read_tensor(file(name)).doubles(); }

// The report on `y`, judged as a kernel's output of `op` on the layer's tensors.
OutputReport judged(const std::string& op, const std::vector<double>& y) {
  CheckRequest request;
  request.spec = spec_of(op);
  request.inputs = inputs_of(op);
  request.actual["y"] = Tensor::from(DType::f32, {1, 8, 6, 96}, std::span<const double>(y));
  const CheckReport report = check(request);
  for (const OutputReport& output : report.sets.at(0).outputs) {
    if (output.candidate != "actual") continue;
    EXPECT_EQ(report.status, output.judgement.status);  // our own emulations pass, so the kernel decides
    return output;
  }
  ADD_FAILURE() << "the kernel was not judged";
  return {};
}

// The layer by its formula in f64, with its ingredients to leave out.
struct Formula {
  double epsilon = eps;
  bool subtract_mean = true, add_beta = true;
};
std::vector<double> evaluate(const Formula& formula) {
  const std::vector<double> x = values_of("x"), w = values_of("w"), residual = values_of("residual");
  const std::vector<double> gamma = values_of("gamma"), beta = values_of("beta"), mean = values_of("mean"),
                            var = values_of("var");
  std::vector<double> y(filters * plane);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t filter = i / plane;
    double conv = 0;
    for (std::size_t c = 0; c < channels; ++c) conv += x[c * plane + i % plane] * w[filter * channels + c];
    const double centred = formula.subtract_mean ? conv - mean[filter] : conv;
    y[i] = gamma[filter] * centred / std::sqrt(var[filter] + formula.epsilon) + (formula.add_beta ? beta[filter] : 0) +
           residual[i];
  }
  return y;
}

// The largest value that any schedule of the op permits at `element`.
double limit_above(std::size_t element) {
  const run::Context context = run::make_context(spec_of("ConvBnAdd"));
  run::Memo memo({});
  double limit = -std::numeric_limits<double>::infinity();
  for (const run::Schedule& schedule : run::schedules_of(context, false)) {
    const run::TruthRun truth =
        run::run_truth(context, schedule, inputs_of("ConvBnAdd"), truth_options(NumericModel{}), memo, false);
    limit = std::max(limit, truth.outputs.at("y").high[element]);
  }
  return limit;
}

void expect_failure(const OutputReport& report, std::int64_t bad, const std::string& place) {
  EXPECT_EQ(report.judgement.status, Status::fail);
  EXPECT_EQ(report.judgement.bad, bad);
  ASSERT_FALSE(report.judgement.where.lines.empty());
  EXPECT_THAT(report.judgement.where.lines[0], HasSubstr(place));
}

// Both directions, all recipes, no accumulator declared: what a user types.
CommandResult check_file(const std::string& op, const std::string& actual) {
  const std::string folder = file("x").parent_path().string();
  return run_fusecheck({"--op", op, "--dtype", "f32", "--eps", "9.999999747378752e-06", "--input", folder, "--actual",
                        "y=" + file(actual).string(), "--require", "y"});
}

TEST(OnnxRuntime, UnfusedOutputPasses) {
  const CommandResult result = check_file("ConvBnAdd", "ort_y_unfused");
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("PASS  y, 1 of 6 outputs given\n"));  // y dx dw dgamma dbeta dresidual
}

TEST(OnnxRuntime, FusedOutputPasses) {
  ASSERT_NE(values_of("ort_y_fused"), values_of("ort_y_unfused"));
  const CommandResult result = check_file("ConvBnAdd", "ort_y_fused");
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("explained   on files by: epilogue, fold"));
}

TEST(OnnxRuntime, OutputOfBatchNormPassesAsConvBn) {
  const CommandResult result = check_file("ConvBn", "ort_bn");
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

// Relu does not round, so relu of ONNX Runtime's output is what it would have computed.
TEST(OnnxRuntime, OutputAndReluPassAsConvBnAddRelu) {
  for (const char* name : {"ort_y_unfused", "ort_y_fused"}) {
    std::vector<double> y = values_of(name);
    for (double& value : y) value = std::max(value, 0.0);
    EXPECT_EQ(judged("ConvBnAddRelu", y).judgement.status, Status::pass) << name;
  }
}

// The control of the faults below: the formula with nothing left out passes.
TEST(Fault, FormulaItselfPasses) {
  const OutputReport report = judged("ConvBnAdd", evaluate({}));
  EXPECT_EQ(report.judgement.status, Status::pass) << report.judgement.reason;
  EXPECT_EQ(report.judgement.bad, 0);
}

// var lies in [0.81, 1.64], so 1e-3 for 1e-5 shrinks the normalised part by 3.0e-4 to 6.1e-4, some thousand times u.
// What stays inside the limit is where that part is nearly 0: a few elements of each channel's 576.
TEST(Fault, EpsilonOf1e3FailsInEveryChannel) {
  const Judgement judgement = judged("ConvBnAdd", evaluate({.epsilon = 1e-3})).judgement;
  EXPECT_EQ(judgement.status, Status::fail);
  EXPECT_THAT(judgement.where.per_axis.at(1), Each(Ge(548)));  // 95 %
}

TEST(Fault, MeanNotSubtractedFailsEverywhere) {
  expect_failure(judged("ConvBnAdd", evaluate({.subtract_mean = false})), elements, "every element");
}

TEST(Fault, BetaDroppedFailsEverywhere) {
  expect_failure(judged("ConvBnAdd", evaluate({.add_beta = false})), elements, "every element");
}

TEST(Fault, ChannelSwappedWithItsNeighbourIsNamed) {
  std::vector<double> y = values_of("ort_y_unfused");
  const auto at = [&](std::size_t channel) { return y.begin() + static_cast<std::ptrdiff_t>(channel * plane); };
  std::swap_ranges(at(3), at(4), at(4));
  expect_failure(judged("ConvBnAdd", y), 2 * 576, "channels 3 and 4 only, all of it");
}

TEST(Fault, LastColumnOfZerosIsNamed) {
  std::vector<double> y = values_of("ort_y_unfused");
  for (std::size_t i = width - 1; i < y.size(); i += width) y[i] = 0;
  expect_failure(judged("ConvBnAdd", y), 8 * 6, "last column only, all of it");
}

// Elements spread over all channels.
TEST(Fault, OneElementFailsFromBeyondItsLimitOn) {
  const std::vector<double> good = values_of("ort_y_unfused");
  for (const std::size_t element : {0U, 700U, 1351U, 2000U, 2900U, 3400U, 4000U, 4607U}) {
    std::vector<double> y = good;
    float value = static_cast<float>(limit_above(element));
    y[element] = static_cast<double>(value);
    EXPECT_EQ(judged("ConvBnAdd", y).judgement.status, Status::pass) << "at its limit: " << element;
    for (int ulp = 0; ulp < 4; ++ulp) value = std::nextafter(value, std::numeric_limits<float>::infinity());
    y[element] = static_cast<double>(value);
    const OutputReport report = judged("ConvBnAdd", y);
    expect_failure(report, 1, "one bad element");
    ASSERT_FALSE(report.judgement.worst.empty());
    EXPECT_EQ(report.judgement.worst[0].index, index_of(static_cast<std::int64_t>(element), {1, 8, 6, 96}));
  }
}

TEST(Fault, ZerosFailEverywhere) {
  expect_failure(judged("ConvBnAdd", std::vector<double>(filters * plane)), elements, "every element");
}

// 1,351 = 2*576 + 2*96 + 7.
TEST(Fault, OneNanIsNamed) {
  std::vector<double> y = values_of("ort_y_unfused");
  y[1351] = std::numeric_limits<double>::quiet_NaN();
  const OutputReport report = judged("ConvBnAdd", y);
  expect_failure(report, 1, "n=0,c=2,h=2,w=7");
  EXPECT_EQ(report.judgement.nonfinite_mismatch, 1);
}

}  // namespace
}  // namespace fusecheck::testing
