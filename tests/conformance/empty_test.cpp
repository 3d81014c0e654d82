// A dimension of 0: no op crashes, outputs without elements prove nothing, and what is a sum of nothing has to be 0.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "conformance_cases.hpp"

namespace fusecheck {
namespace {

// The op's first input with that shape; false where the op refuses it as a usage error.
bool takes(CaseSpec& spec, const OpDef& op, const Shape& shape) {
  spec.op = op.name;
  spec.shapes = {{graph::interface_of(op).inputs.at(0).name, shape}};
  try {
    run::make_context(spec);
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(ErrorKind::usage)) << op.name << ": " << error.what();
    return false;
  }
}

// Pass where something is compared, else weak.
void expect_judged(const CaseSpec& spec) {
  const run::Context context = run::make_context(spec);
  const std::vector<std::string> names = context.output_names();
  const bool compared = std::any_of(
      names.begin(), names.end(), [&](const std::string& name) { return element_count(context.shapes.at(name)) > 0; });
  EXPECT_EQ(name_of(testing::run_check(spec).status), compared ? "pass" : "weak") << to_line(spec);
}

// Ops that need an element where these shapes have none: a mean over a group, a position to point at, a volume.
bool may_refuse(const std::string& op) {
  const std::vector<std::string> refusing = {"GroupNormSilu", "group_norm", "instance_norm", "conv3d"};
  return std::find(refusing.begin(), refusing.end(), op) != refusing.end();
}

TEST(Empty, ABatchOfNothingGoesThroughEveryOp) {
  for (const OpDef& op : all_ops()) {
    for (const DType dtype : {DType::f16, DType::f32}) {
      CaseSpec spec;
      spec.dtype = dtype;
      spec.bias = true;
      const bool taken = takes(spec, op, {0, 8, 6, 6});
      EXPECT_TRUE(taken || may_refuse(op.name)) << op.name;
      if (op.name == "gather") continue;  // refuses when it draws: an index has nothing to point at
      if (taken) expect_judged(spec);
    }
  }
}

// Any other place of the 0 either goes through or is refused.
TEST(Empty, NoPlaceOfTheZeroCrashes) {
  for (const OpDef& op : all_ops()) {
    for (const Shape& shape : {Shape{2, 0, 6, 6}, Shape{2, 8, 0, 6}, Shape{2, 8, 6, 0}, Shape{0}, Shape{0, 6}}) {
      CaseSpec spec;
      if (!takes(spec, op, shape)) continue;
      try {
        testing::run_check(spec);
      } catch (const Error& error) {
        EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(ErrorKind::usage)) << to_line(spec) << error.what();
      }
    }
  }
}

// No image: dw is Σ over nothing. A kernel that leaves its memory as it was, here all ones, fails; zeros pass.
TEST(Empty, TheSumOfNothingIsZero) {
  CaseSpec spec;
  ASSERT_TRUE(takes(spec, find_op("ConvRelu"), {0, 8, 6, 6}));
  const run::Context context = run::make_context(spec);
  for (const double value : {0.0, 1.0}) {
    CheckRequest request;
    request.spec = spec;
    request.spec.data = {DataSet::random};
    const Shape shape = context.shapes.at("dw");
    const std::vector<double> values(static_cast<std::size_t>(element_count(shape)), value);
    request.actual = {{"dw", Tensor::from(DType::f16, shape, std::span<const double>(values))}};
    EXPECT_EQ(name_of(check(request).status), value == 0 ? "pass" : "fail");
  }
}

// Each output is b: an input without channels leaves the bias alone.
TEST(Empty, AConvolutionWithoutChannelsGivesItsBias) {
  CaseSpec spec;
  spec.bias = true;
  spec.attrs.set("oc", {2});
  ASSERT_TRUE(takes(spec, find_op("conv2d"), {1, 0, 3, 3}));
  spec.data = {DataSet::random};
  const CheckReport report = testing::run_check(spec);
  EXPECT_EQ(name_of(report.status), "pass");
  const Tensor& b = report.sets.at(0).tensors.at("inputs.b");
  const Tensor& y = report.sets[0].tensors.at("unfused.y");
  ASSERT_EQ(y.size(), 18);
  for (std::int64_t i = 0; i < 18; ++i) EXPECT_EQ(y.at(i), round_to(DType::f16, b.at(i / 9))) << i;
}

}  // namespace
}  // namespace fusecheck
