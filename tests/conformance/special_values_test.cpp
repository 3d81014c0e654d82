// NaN and infinity in the inputs go where arithmetic takes them, through every op and recipe, and are judged: NaN must
// meet NaN, and a kernel that loses one fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "conformance_cases.hpp"

namespace fusecheck {
namespace {

using testing::OpAndType;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

CaseSpec case_of(const OpDef& op, DType dtype, bool training) {
  CaseSpec spec;
  spec.op = op.name;
  spec.dtype = dtype;
  if (training) spec.attrs.set("bn", {1});
  testing::set_shape(spec, op, {2, 3, 5, 6});
  spec.data = {DataSet::random};
  return spec;
}

Tensor with_value(const Tensor& tensor, std::int64_t place, double value) {
  std::vector<double> values = tensor.doubles();
  values.at(static_cast<std::size_t>(place)) = value;
  return Tensor::from(tensor.dtype(), tensor.shape(), std::span<const double>(values));
}

std::int64_t nan_count(const Tensor& tensor) {
  std::int64_t count = 0;
  for (const double value : tensor.doubles()) count += std::isnan(value) ? 1 : 0;
  return count;
}

// Ops whose y need not hold the first element of an input.
bool leaves_out(const std::string& op) {
  const std::vector<std::string> choosing = {"where", "gather",         "slice",
                                             "split", "masked_softmax", "ScaledMaskedSoftmax"};
  return std::find(choosing.begin(), choosing.end(), op) != choosing.end();
}

// Both emulations of every recipe meet the truth, value for value; `y` shows that the special value arrived.
void expect_judged(CaseSpec spec, const std::string& input, double value) {
  const Tensor drawn = testing::draw_case(spec, DataSet::random).inputs.at(input);
  const Tensor special = with_value(drawn, 0, value);
  const run::Context context = run::make_context(spec);
  for (const run::Schedule& schedule : run::schedules_of(context, true)) {
    spec.recipe = schedule.name;
    const CheckReport report = testing::run_check(spec, {{input, special}});
    for (const OutputReport& row : report.sets.at(0).outputs) {
      EXPECT_NE(name_of(row.judgement.status), "fail")
          << report.repro << ", " << input << "[0] = " << value << ": " << row.candidate << " " << row.output << ": "
          << row.judgement.reason;
      EXPECT_EQ(row.judgement.nonfinite_mismatch, 0) << report.repro << ": " << row.candidate << " " << row.output;
    }
    const Tensor& y = report.sets[0].tensors.at("fused." + context.interface.first_output);
    EXPECT_TRUE(!std::isnan(value) || leaves_out(spec.op) || nan_count(y) > 0) << report.repro;
  }
}

class SpecialValues : public ::testing::TestWithParam<OpAndType> {};

TEST_P(SpecialValues, PropagateAndAreJudged) {
  const auto& [op, dtype] = GetParam();
  for (const bool training : {false, true}) {
    if (training && !testing::has_batch_norm(*op)) continue;
    const CaseSpec spec = case_of(*op, dtype, training);
    for (const Port& port : graph::interface_of(*op).inputs) {
      // Inference alone reads the given statistics into y; a bias is absent here.
      if (port.optional || (training && !port.gradient)) continue;
      if (port.role == Role::mask || port.role == Role::index) continue;  // holds no NaN
      for (const double value : {kNan, kInfinity, -kInfinity}) expect_judged(spec, port.name, value);
    }
    const std::string dy = "d" + graph::interface_of(*op).first_output;
    expect_judged(spec, training || op->name != "add" ? dy : "b", kInfinity);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryOp, SpecialValues, ::testing::ValuesIn(testing::ops_by_type(false)), testing::case_name);

CaseSpec small_conv() { return case_of(find_op("ConvRelu"), DType::f16, false); }

// x[0,0,0,0] = NaN meets the 3x3 kernel with padding 1 at the outputs (0,0), (0,1), (1,0), (1,1) of image 0, in each of
// its 3 channels: 12. relu keeps a NaN.
TEST(SpecialValues, ReachExactlyTheOutputsThatReadThem) {
  const Tensor x = testing::draw_case(small_conv(), DataSet::random).inputs.at("x");
  const CheckReport report = testing::run_check(small_conv(), {{"x", with_value(x, 0, kNan)}});
  for (const char* tensor : {"truth.y", "fused.y", "unfused.y"}) {
    EXPECT_EQ(nan_count(report.sets.at(0).tensors.at(tensor)), 12) << tensor;
  }
}

Judgement judge_y(const Tensor& x, const Tensor& y) {
  CheckRequest request;
  request.spec = small_conv();
  request.inputs = {{"x", x}};
  request.actual = {{"y", y}};
  request.spec.passes = Passes::forward;
  const CheckReport report = check(request);
  for (const OutputReport& row : report.sets.at(0).outputs) {
    if (row.candidate == "actual") return row.judgement;
  }
  return {};
}

// A kernel that loses one NaN (as max(x, 0) does where it is written x > 0 ? x : 0), or makes one up, fails.
TEST(SpecialValues, ALostOrInventedNanFails) {
  const Tensor drawn = testing::draw_case(small_conv(), DataSet::random).inputs.at("x");
  const Tensor x = with_value(drawn, 0, kNan);
  const Tensor y = testing::run_check(small_conv(), {{"x", x}}).sets.at(0).tensors.at("fused.y");
  EXPECT_EQ(name_of(judge_y(x, y).status), "pass");

  ASSERT_TRUE(std::isnan(y.at(0)));
  const Judgement lost = judge_y(x, with_value(y, 0, 0));
  EXPECT_EQ(name_of(lost.status), "fail");
  EXPECT_EQ(lost.nonfinite_mismatch, 1);

  const std::int64_t last = y.size() - 1;
  ASSERT_FALSE(std::isnan(y.at(last)));
  const Judgement invented = judge_y(x, with_value(y, last, kNan));
  EXPECT_EQ(name_of(invented.status), "fail");
  EXPECT_EQ(invented.nonfinite_mismatch, 1);
}

}  // namespace
}  // namespace fusecheck
