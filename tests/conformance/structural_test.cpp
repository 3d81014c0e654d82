// Outputs that prove nothing by construction (NUMERICS.md J11) are exempt from `weak`, so which they are is settled
// here, and that each reason is true.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "conformance_cases.hpp"
#include "fusecheck/registry.hpp"
#include "run/run.hpp"

namespace fusecheck {
namespace {

const char* const identity = "the gradient of a sum is dy itself";
const char* const identity_of_difference = "the gradient of a difference is dy itself";
const char* const negated = "the gradient of a difference is -dy";
const char* const negated_alone = "the gradient of a negation is -dy";
const char* const rounded = "the gradient of a rounding is dy itself";
const char* const moved = "the elements of x in another shape";
const char* const moved_back = "the elements of dy in another shape";
const char* const same = "x itself where the type holds it";
const char* const cancelled = "zero in exact arithmetic: training BN subtracts the mean, and any bias with it";

struct Declared {
  std::string reason;
  bool training_only = false;
  bool operator==(const Declared&) const = default;
};
using Outputs = std::map<std::string, Declared>;

// Behind a relu the gradient of the residual is masked, so that ConvAddRelu and ConvBnAddRelu have to prove it.
std::map<std::string, Outputs> expected_outputs() {
  const Outputs normalised = {{"db", {cancelled, true}}};
  const Outputs normalised_and_added = {{"db", {cancelled, true}}, {"dresidual", {identity}}};
  return {{"add", {{"da", {identity}}, {"db", {identity}}}},
          {"sub", {{"da", {identity_of_difference}}, {"db", {negated}}}},
          {"neg", {{"dx", {negated_alone}}}},
          {"reshape", {{"y", {moved}}, {"dx", {moved_back}}}},
          {"cast", {{"y", {same}}, {"dx", {rounded}}}},
          {"bias", {{"dx", {identity}}}},
          {"BiasDropoutAdd", {{"dresidual", {identity}}}},
          {"ConvAdd", {{"dresidual", {identity}}}},
          {"ConvBn", normalised},
          {"ConvBnRelu", normalised},
          {"ConvBnSilu", normalised},
          {"ConvBnHardSwish", normalised},
          {"ConvBnAdd", normalised_and_added},
          {"ConvBnAddRelu", normalised},
          {"ConvBnReluAdd", normalised_and_added}};
}

TEST(Structural, OnlyTheseOutputsAreExempt) {
  std::map<std::string, Outputs> actual;
  for (const OpDef& op : all_ops()) {
    for (const Structural& output : op.structural) {
      actual[op.name][output.output] = {output.reason, output.training_only};
    }
  }
  for (const auto& [op, outputs] : actual) EXPECT_TRUE(expected_outputs().contains(op)) << op;
  for (const auto& [op, outputs] : expected_outputs()) EXPECT_EQ(actual[op], outputs) << op;
}

// The body in f64 on drawn data. db is zero but for the roundings of f64: at most 2^-40 of Σ|dconv|, which is at least
// |dbeta|·|gamma|·rstd for one channel; comparing with the largest |dx| times the number of its elements is enough.
void expect_reasons_true(const OpDef& op, bool training) {
  CaseSpec spec;
  spec.op = op.name;
  spec.dtype = DType::f32;
  spec.bias = true;
  if (training) spec.attrs.set("bn", {1});
  testing::set_shape(spec, op, {2, 3, 5, 4});
  const run::Context context = run::make_context(spec);
  std::map<std::string, std::vector<double>, std::less<>> inputs;
  for (const auto& [name, tensor] : run::draw_inputs(context, DataSet::random, 1, false, {})) {
    inputs[name] = tensor.doubles();
  }
  run::Memo memo({});
  const auto outputs = run::run_body(context, inputs, memo, true);
  for (const Structural& structural : op.structural) {
    if (structural.training_only && !training) continue;
    const std::vector<double>& values = outputs.at(structural.output);
    if (structural.reason != cancelled) {
      const bool of_x = structural.reason == moved || structural.reason == same;
      std::vector<double> expected = inputs.at(of_x ? "x" : "d" + context.interface.first_output);
      const bool negative = structural.reason == negated || structural.reason == negated_alone;
      for (double& value : expected) value = negative ? -value : value;
      EXPECT_EQ(values, expected) << op.name << " " << structural.output;
      continue;
    }
    double scale = 0;
    for (const double dx : outputs.at("dx")) scale = std::max(scale, std::fabs(dx));
    for (const double value : values) {
      EXPECT_LE(std::fabs(value), 0x1p-40 * scale * 40) << op.name << " " << structural.output;
    }
  }
}

TEST(Structural, EveryReasonIsTrue) {
  for (const OpDef& op : all_ops()) {
    for (const Structural& structural : op.structural) {
      expect_reasons_true(op, structural.training_only);
    }
  }
}

}  // namespace
}  // namespace fusecheck
