// Legal kernels are not accused: every schedule of every op, run in each order of sums that hardware uses, stays inside
// the limits that the default model alone sets, element by element and in its statistics. And bits repeat.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "conformance_cases.hpp"
#include "fusecheck/judge.hpp"
#include "run/run.hpp"

namespace fusecheck {
namespace {

using testing::DrawnCase;
using testing::OpAndType;

const std::vector<std::string> orders = {"ieee",           "ieee/reversed", "ieee/pairwise",      "ieee/block16",
                                         "ieee/split_k:4", "ieee/c0:16",    "ieee/c0:16/pairwise"};

// 17 channels: no multiple of any block, so that every order differs from every other.
CaseSpec case_of(const OpAndType& subject, bool training) {
  CaseSpec spec;
  spec.op = subject.op->name;
  spec.dtype = subject.dtype;
  spec.bias = true;
  if (training) spec.attrs.set("bn", {1});
  testing::set_shape(spec, *subject.op, {2, 17, 8, 7});
  return spec;
}

void expect_inside(const DrawnCase& drawn, const run::Schedule& schedule, const run::TruthRun& truth,
                   const std::string& order) {
  run::EmulatedMemo memo({});
  const run::EmulatedRun run = run::run_emulated(drawn.context, schedule, drawn.inputs, parse_model(order), memo);
  for (const std::string& name : drawn.context.output_names()) {
    const Judgement judgement = judge(truth.outputs.at(name), run.outputs.at(name).doubles());
    // A variance in one pass says nothing where the mean is 4096 deviations, and so do its limits.
    const bool anything = schedule.lossy && judgement.status == Status::weak;
    EXPECT_TRUE(judgement.status == Status::pass || anything)
        << name_of(judgement.status) << ": " << drawn.line << ", " << schedule.name << " with " << order << ": " << name
        << ": " << judgement.reason << ", " << judgement.bad << " of " << judgement.n << " outside, used "
        << judgement.used;
  }
}

void expect_every_order_inside(const CaseSpec& spec, DataSet set) {
  const DrawnCase drawn = testing::draw_case(spec, set);
  run::Memo memo({});
  for (const run::Schedule& schedule : run::schedules_of(drawn.context, true)) {
    const run::TruthRun truth = run::run_truth(drawn.context, schedule, drawn.inputs, run::TruthOptions{}, memo, true);
    for (const std::string& order : orders) expect_inside(drawn, schedule, truth, order);
  }
}

class Orders : public ::testing::TestWithParam<OpAndType> {};

TEST_P(Orders, StayInsideTheLimits) {
  for (const bool training : {false, true}) {
    if (training && !testing::has_batch_norm(*GetParam().op)) continue;
    for (const DataSet set : {DataSet::exact, DataSet::random, DataSet::stress}) {
      expect_every_order_inside(case_of(GetParam(), training), set);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryOp, Orders, ::testing::ValuesIn(testing::ops_by_type(false)), testing::case_name);

// The orders are different ones: otherwise the test above would run one order seven times.
TEST(Orders, DifferInBits) {
  const CaseSpec spec = case_of({&find_op("conv2d"), DType::f32}, false);
  const DrawnCase drawn = testing::draw_case(spec, DataSet::random);
  const run::Schedule schedule = run::find_schedule(drawn.context, "unfused", {});
  std::set<std::string> hashes;
  for (const std::string& order : orders) {
    run::EmulatedMemo memo({});
    hashes.insert(
        sha256(run::run_emulated(drawn.context, schedule, drawn.inputs, parse_model(order), memo).outputs.at("y")));
  }
  EXPECT_EQ(hashes.size(), orders.size());
}

// Nor would they pass anything: sums of 153 products in f16 are no legal order of sums in f32.
TEST(Orders, AccumulationInF16IsOutside) {
  const CaseSpec spec = case_of({&find_op("conv2d"), DType::f16}, false);
  const DrawnCase drawn = testing::draw_case(spec, DataSet::random);
  const run::Schedule schedule = run::find_schedule(drawn.context, "unfused", {});
  run::Memo memo({});
  const run::TruthRun truth = run::run_truth(drawn.context, schedule, drawn.inputs, run::TruthOptions{}, memo, true);
  run::EmulatedMemo emulated({});
  const run::EmulatedRun run =
      run::run_emulated(drawn.context, schedule, drawn.inputs, parse_model("fp16-accumulate"), emulated);
  for (const char* name : {"y", "dx", "dw"}) {
    const Judgement judgement = judge(truth.outputs.at(name), run.outputs.at(name).doubles());
    EXPECT_EQ(name_of(judgement.status), "fail") << name;
  }
}

std::vector<std::string> hashes_of(const CheckReport& report) {
  std::vector<std::string> hashes;
  for (const DataSetReport& set : report.sets) {
    for (const OutputReport& row : set.outputs) {
      if (row.candidate != "onednn") hashes.push_back(row.candidate + " " + row.output + " " + row.sha256);
    }
  }
  return hashes;
}

// The same case gives the same bits, another seed gives others: y and each gradient, drawn data and both emulations.
TEST(Seeds, RepeatBitForBit) {
  CaseSpec spec = case_of({&find_op("ConvBnAddRelu"), DType::f16}, true);
  spec.data = {DataSet::random};
  const std::vector<std::string> first = hashes_of(testing::run_check(spec));
  ASSERT_EQ(first.size(), 18U);  // y, two running statistics; x w b gamma beta residual: 9 outputs of two candidates
  EXPECT_EQ(hashes_of(testing::run_check(spec)), first);
  spec.seed = 2;
  const std::vector<std::string> second = hashes_of(testing::run_check(spec));
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_NE(second[i], first[i]);
}

}  // namespace
}  // namespace fusecheck
