// A kernel that no rounding accumulator explains may have one that truncates (NUMERICS.md J4): real ones pass, and are
// named; a single wrong element in an otherwise right tensor does not pass as one. FUSECHECK_RUNS, whatever its value:
// every op with every seed.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "check/truncation.hpp"
#include "variations.hpp"

namespace fusecheck::testing {
namespace {

constexpr std::uint64_t seeds = 20;

struct OpMode {
  std::string op;
  bool training = false;
};

std::vector<OpMode> modes() {
  return {{"ConvRelu"},           {"ConvAdd"},          {"ConvAddRelu"},     {"ConvBn"},
          {"ConvBnRelu"},         {"ConvBnAdd"},        {"ConvBnAddRelu"},   {"ConvBnReluAdd"},
          {"ConvBn", true},       {"ConvBnRelu", true}, {"ConvBnAdd", true}, {"ConvBnAddRelu", true},
          {"ConvBnReluAdd", true}};
}

Case case_of(const OpMode& mode, DType dtype, DataSet set, std::uint64_t seed) {
  CaseSpec spec;
  spec.op = mode.op;
  spec.dtype = dtype;
  spec.seed = seed;
  spec.shapes["x"] = {1, 16, 7, 6};  // K = 144 of y, 108 of dx, 42 of dw
  spec.attrs.set("oc", {12});
  if (mode.training) spec.attrs.set("bn", {1});
  return make_case(spec, set);
}

// The mode of run i of one seed each, or of every mode with every seed.
std::uint64_t runs() { return std::getenv("FUSECHECK_RUNS") == nullptr ? seeds : seeds * modes().size(); }

// Values on the far side of what any schedule permits when it rounds to nearest.
double beyond_every_limit(const Case& of, const std::string& output, std::size_t element) {
  run::Memo memo(engine::Execution{});
  double limit = -std::numeric_limits<double>::infinity();
  for (const run::Schedule& schedule : run::schedules_of(of.context, true)) {
    const run::TruthRun truth =
        run::run_truth(of.context, schedule, of.inputs, truth_options(NumericModel{}), memo, of.context.backward);
    limit = std::max(limit, truth.outputs.at(output).high[element]);
  }
  const DType dtype = of.context.dtype_of(output);
  double value = limit;
  for (int steps = 0; steps < 4; ++steps) value = round_to(dtype, value + ulp(dtype, value) * 0.75, {});
  return value;
}

void expect_outlier_caught(DType dtype) {
  for (std::uint64_t i = 0; i < runs(); ++i) {
    const Case of = case_of(modes()[i % modes().size()], dtype, DataSet::random, i + 1);
    const Tensors outputs = run_variation(of, {"epilogue", of.context.training}, "sequential");
    for (const char* output : {"y", "dx", "dw"}) {
      std::vector<double> values = outputs.at(output).doubles();
      const std::size_t element =
          static_cast<std::size_t>(Philox(i, output).integer(0, 0, static_cast<std::int64_t>(values.size()) - 1));
      values[element] = beyond_every_limit(of, output, element);
      const Tensor spoilt =
          Tensor::from(outputs.at(output).dtype(), outputs.at(output).shape(), std::span<const double>(values));
      const CheckReport report = check_kernel(of, {{output, spoilt}});
      const std::string what = to_line(of.spec) + " " + output;
      EXPECT_EQ(kernel_status(report), Status::fail)
          << what << " explained by " << ::testing::PrintToString(report.sets.front().explained_by);
      const Judgement judgement = of_kernel(report).front().judgement;
      ASSERT_EQ(judgement.bad, 1) << what << "\n" << failures(report);
      EXPECT_EQ(judgement.worst.front().index, index_of(static_cast<std::int64_t>(element), spoilt.shape())) << what;
    }
  }
}

TEST(OneElement4UlpBeyondItsLimit, fails_and_is_named_in_f32) { expect_outlier_caught(DType::f32); }
TEST(OneElement4UlpBeyondItsLimit, fails_and_is_named_in_f16) { expect_outlier_caught(DType::f16); }
TEST(OneElement4UlpBeyondItsLimit, fails_and_is_named_in_bf16) { expect_outlier_caught(DType::bf16); }

// Whole and each contraction output alone, as given by published units that truncate.
void expect_units_pass(DType dtype, DataSet set) {
  for (std::uint64_t i = 0; i < runs(); ++i) {
    const Case of = case_of(modes()[i % modes().size()], dtype, set, i + 1);
    for (const char* unit : {"mma:4,23", "mma:8,24", "mma:16,25", "mma:8,24/c0:16"}) {
      const Tensors outputs = run_variation(of, {"epilogue", of.context.training}, unit);
      const CheckReport whole = check_kernel(of, outputs);
      EXPECT_NE(kernel_status(whole), Status::fail) << to_line(of.spec) << " " << unit << "\n" << failures(whole);
      for (const char* output : {"y", "dx", "dw"}) {
        const CheckReport report = check_kernel(of, only(outputs, {output}));
        EXPECT_NE(kernel_status(report), Status::fail)
            << to_line(of.spec) << " " << unit << " " << output << "\n"
            << failures(report) << ::testing::PrintToString(report.sets.front().notes);
      }
    }
  }
}

TEST(TruncatingUnit, passes_in_f32_on_random) { expect_units_pass(DType::f32, DataSet::random); }
TEST(TruncatingUnit, passes_in_f32_on_stress) { expect_units_pass(DType::f32, DataSet::stress); }
TEST(TruncatingUnit, passes_in_f16_on_stress) { expect_units_pass(DType::f16, DataSet::stress); }
TEST(TruncatingUnit, passes_in_bf16_on_random) { expect_units_pass(DType::bf16, DataSet::random); }

Expected of_f32(std::vector<double> truth, double half_width) {
  Expected expected;
  expected.shape = {static_cast<std::int64_t>(truth.size())};
  expected.half_width.assign(truth.size(), half_width);
  expected.truth = std::move(truth);
  return expected;
}

// Truth 1 and 2 with half-widths of 2^-24: weights (2^-24 + 2^-23)^-2 and (2^-24 + 2^-22)^-2, which are as 25 : 9. The
// unit is off by p = -2^-20 in both.
TEST(DriftShare, weighs_each_element_by_its_limit_and_counts_it_once) {
  const Expected expected = of_f32({1, 2}, 0x1p-24);
  const std::vector<double> unit = {1 - 0x1p-20, 2 - 0x1p-20};
  const auto share = [&](double first, double second) {
    return drift_share(expected, unit, std::vector<double>{1 - first, 2 - second});
  };
  EXPECT_EQ(share(0x1p-20, 0x1p-20), 1);           // the unit itself
  EXPECT_EQ(share(0, 0), 0);                       // truth
  EXPECT_EQ(share(-0x1p-20, -0x1p-20), -1);        // as far the other way
  EXPECT_DOUBLE_EQ(share(0x1p-21, 0x1p-21), 0.5);  // half of it
  EXPECT_DOUBLE_EQ(share(0x1p-10, 0), 25.0 / 34);  // far beyond it: counts once
  EXPECT_DOUBLE_EQ(share(0, 0x1p-10), 9.0 / 34);
}

TEST(DriftShare, is_zero_where_the_unit_does_not_drift) {
  EXPECT_EQ(drift_share(of_f32({1}, 0x1p-24), std::vector<double>{1}, std::vector<double>{1.5}), 0);
}

}  // namespace
}  // namespace fusecheck::testing
