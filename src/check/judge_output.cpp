#include <algorithm>

#include "base/text.hpp"
#include "check/stage.hpp"
#include "verify/elements.hpp"

namespace fusecheck {
namespace {

// Whether one of the first elements already keeps an impostor from passing, so that it need not be made.
bool refuted(const Expected& expected, const JudgeOptions& options, auto value_at) {
  constexpr std::size_t first = 4096;
  if (options.tolerance.name != Tolerance{}.name) return false;  // a standard may let single elements pass
  for (std::size_t i = 0; i < std::min(first, expected.truth.size()); ++i) {
    const double truth = expected.truth[i], low = expected.low[i], high = expected.high[i];
    if (verify::fit_of(truth, low, high, value_at(i)) == verify::Fit::outside) return true;
  }
  return false;
}

// What is certainly wrong and must not pass (J11): zeros, an input copied, y without its last step, another output.
std::vector<Impostor> impostors_of(const Stage& stage, const std::string& output, const Expected& expected,
                                   const run::TruthRun& truth, const JudgeOptions& options) {
  std::vector<Impostor> impostors;
  const std::size_t n = expected.truth.size();
  if (!refuted(expected, options, [](std::size_t) { return 0.0; })) {
    impostors.push_back({"zeros", std::vector<double>(n, 0)});
  }
  for (const Port& port : stage.context.interface.inputs) {
    const Tensor& input = stage.inputs.at(port.name);
    const bool comparable = input.shape() == expected.shape && input.dtype() == expected.dtype;
    if (!comparable) continue;
    if (refuted(expected, options, [&](std::size_t i) { return input.at(static_cast<std::int64_t>(i)); })) continue;
    impostors.push_back({"a copy of " + port.name, input.doubles()});
  }
  const auto before = truth.without_last_step.find(output);
  if (before != truth.without_last_step.end() &&
      !refuted(expected, options, [&](std::size_t i) { return before->second[i]; })) {
    impostors.push_back({"no last step", before->second});
  }
  if (n > 1 && !refuted(expected, options, [&](std::size_t i) { return expected.truth[n - 1 - i]; })) {
    std::vector<double> reversed(expected.truth.rbegin(), expected.truth.rend());
    impostors.push_back({"the elements in reverse", std::move(reversed)});
  }
  return impostors;
}

// Where an input has no elements, gradients of others are sums of nothing: 0 by construction, and wrong in a kernel
// that leaves its memory as it was.
bool sums_nothing(const Stage& stage, const Expected& expected) {
  const bool nothing =
      std::any_of(stage.inputs.begin(), stage.inputs.end(), [](const auto& input) { return input.second.size() == 0; });
  return nothing && std::all_of(expected.truth.begin(), expected.truth.end(), [](double v) { return v == 0; });
}

void find_weakness(const Stage& stage, OutputReport& report, const Expected& expected, const run::TruthRun& truth,
                   const JudgeOptions& options, std::vector<std::string>& notes) {
  if (!expected.structural.empty() || expected.truth.empty() || sums_nothing(stage, expected)) return;
  std::vector<std::string> passing =
      passing_impostors(expected, impostors_of(stage, report.output, expected, truth, options), options);
  const auto last_step = std::find(passing.begin(), passing.end(), "no last step");
  if (stage.from_user && last_step != passing.end()) {
    passing.erase(last_step);
    notes.push_back(report.output + ": blind to: " + graph::body_of(*stage.context.op).nodes.back().op->name);
  }
  const double vacuous = vacuous_share(expected);
  if (!passing.empty()) {
    report.judgement.status = Status::weak;
    report.judgement.reason = base::join(passing, ", ") + " would pass";
  } else if (vacuous > 0.5) {
    report.judgement.status = Status::weak;
    report.judgement.reason =
        "the limit exceeds the value on " + base::number_text(static_cast<int>(vacuous * 100)) + " % of elements";
  }
}

std::vector<std::string> axis_names(const std::string& output, std::size_t rank) {
  if (output == "dw" && rank == 4) return {"oc", "c", "kh", "kw"};
  return {};
}

}  // namespace

OutputReport judge_output(const Stage& stage, const std::string& candidate, const std::string& output,
                          const Expected& expected, const Tensor& actual, const std::string& recipe,
                          const run::TruthRun& truth) {
  OutputReport report;
  report.candidate = candidate;
  report.output = output;
  report.dtype = expected.dtype;
  report.shape = expected.shape;
  report.recipe = recipe;
  if (stage.request.digests) report.sha256 = sha256(actual);
  JudgeOptions options = stage.request.judge;
  const auto own = stage.request.tolerances.find(output);
  if (own != stage.request.tolerances.end()) options.tolerance = own->second;
  // A standard is for the user's kernel; beside one, our own emulation is held to the bound.
  if (candidate != "actual" && (stage.request.kernel || !stage.actual.empty())) options.tolerance = {};
  options.axes = axis_names(output, expected.shape.size());
  options.standards = options.standards && candidate != "unfused";
  report.judgement = judge(expected, actual.doubles(), options);
  if (report.judgement.status == Status::pass) {
    find_weakness(stage, report, expected, truth, options, stage.report.notes);
  }
  return report;
}

}  // namespace fusecheck
