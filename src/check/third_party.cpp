#include <algorithm>
#include <cmath>

#include "backends/onednn.hpp"
#include "check/stage.hpp"

namespace fusecheck {
namespace {

std::string output_name(engine::Direction direction) {
  if (direction == engine::Direction::forward) return "conv";
  return direction == engine::Direction::data_gradient ? "dx" : "dw";
}

// The calibration averages over all outputs of a contraction, the statistics over those that can err: small integers
// are summed exactly in any order, and where that holds for most outputs the others err more than the average.
void average_over_inexact(Expected& expected) {
  const auto inexact = std::count_if(expected.half_width.begin(), expected.half_width.end(),
                                     [](double half_width) { return half_width > 0; });
  if (inexact == 0) return;
  const double outputs = static_cast<double>(expected.half_width.size()) / static_cast<double>(inexact);
  expected.typical = std::min(1.0, outputs * expected.typical);
  expected.typical_bias = std::min(1.0, outputs * expected.typical_bias);
  expected.typical_rms = std::min(1.0, std::sqrt(outputs) * expected.typical_rms);
}

void replay(Stage& stage, run::ContractionRecord& record, const run::TruthOptions& options) {
  OutputReport report;
  report.candidate = "onednn";
  report.output = output_name(record.problem.direction);
  report.dtype = DType::f32;
  report.shape = record.problem.output_shape();
  report.recipe = backends::onednn_version();
  std::string reason;
  stage.memo.narrow(record);
  const std::optional<std::vector<float>> values =
      backends::replay(record.problem, record.a32, record.b32, record.bias32, DType::f32, reason);
  if (!values.has_value()) {
    report.judgement.status = Status::skip;
    report.judgement.reason = reason;
    stage.report.outputs.push_back(std::move(report));
    return;
  }
  const Tensor actual = Tensor::from(DType::f32, report.shape, std::span<const float>(*values));
  JudgeOptions judging = stage.request.judge;
  judging.tolerance = {};
  judging.standards = false;
  if (report.output == "dw") judging.axes = {"oc", "c", "kh", "kw"};
  Expected expected = run::expected_of(record, options, stage.memo);
  average_over_inexact(expected);
  report.judgement = judge(expected, actual.doubles(), judging);
  if (stage.request.digests) report.sha256 = sha256(actual);
  stage.report.outputs.push_back(std::move(report));
}

}  // namespace

// oneDNN accumulates in f32 in an order of its own, whatever the case's model says: judged as nearest f32.
void check_third_party(Stage& stage, const std::vector<run::ContractionRecord*>& trace,
                       const run::TruthOptions& options) {
  run::TruthOptions nearest = options;
  nearest.accumulator = {};
  nearest.declared = {};
  std::vector<const run::ContractionRecord*> seen;
  for (run::ContractionRecord* record : trace) {
    bool known = false;
    for (const run::ContractionRecord* other : seen) known = known || other == record;
    const bool empty = element_count(record->problem.a_shape()) == 0 || element_count(record->problem.b_shape()) == 0 ||
                       element_count(record->problem.output_shape()) == 0;
    if (known || empty) continue;
    seen.push_back(record);
    replay(stage, *record, nearest);
  }
}

}  // namespace fusecheck
