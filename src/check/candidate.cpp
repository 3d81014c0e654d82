#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.hpp"
#include "check/hypotheses.hpp"
#include "check/stage.hpp"
#include "check/truncation.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck {
namespace {

struct Trial {
  Hypothesis hypothesis;
  std::vector<OutputReport> outputs;
  std::int64_t outside = 0;
  bool explains = true;
  bool contracts = false;
  bool vanished = false;  // the kernel holds a 0 that is illegal where the truth is below f32's smallest normal value
  std::optional<MissingDrift> refuted = {};  // the limits of a truncating unit hold the kernel, which does not drift
};

// Published matrix units that cut toward zero (N7); Ascend's Cube is unpublished and may be like one of them.
const std::vector<std::string> truncating_models = {"mma:8,24", "mma:16,25", "mma:4,23"};

std::vector<std::string> failed_outputs(const Trial& trial) {
  std::vector<std::string> names;
  for (const OutputReport& output : trial.outputs) {
    if (output.judgement.status == Status::fail) names.push_back(output.output);
  }
  return names;
}

bool any_vanished(const Expected& expected, const Tensor& actual) {
  const std::vector<double> values = actual.doubles();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool below = std::fabs(expected.truth[i]) < 0x1p-126 && (expected.low[i] > 0 || expected.high[i] < 0);
    if (values[i] == 0 && below) return true;
  }
  return false;
}

// `rounding`: the same schedule with an accumulator that rounds to nearest, where this one is truncating. Each output
// that it cannot explain has to show the drift.
Trial attempt(Stage& stage, Hypothesis hypothesis, const Trial* rounding) {
  Trial trial;
  trial.hypothesis = std::move(hypothesis);
  run::TruthRun truth = run::run_truth(stage.context, trial.hypothesis.schedule, stage.loaded, trial.hypothesis.options,
                                       stage.memo, stage.context.backward);
  calibrate_outputs(stage, trial.hypothesis.schedule, trial.hypothesis.options.declared, truth);
  trial.contracts = !truth.contractions.empty();
  for (const auto& [name, tensor] : stage.actual) {
    const auto expected = truth.outputs.find(name);
    if (expected == truth.outputs.end()) internal_error(trial.hypothesis.name + " does not give " + name);
    trial.outputs.push_back(
        judge_output(stage, "actual", name, expected->second, tensor, trial.hypothesis.name, truth));
    const Judgement& judgement = trial.outputs.back().judgement;
    trial.outside += judgement.bad;
    trial.explains = trial.explains && judgement.status != Status::fail;
    trial.vanished = trial.vanished || (judgement.bad > 0 && any_vanished(expected->second, tensor));
  }
  if (trial.explains && rounding != nullptr) {
    trial.refuted = missing_drift(stage, trial.hypothesis.schedule, trial.hypothesis.options.declared, truth,
                                  failed_outputs(*rounding));
    trial.explains = !trial.refuted.has_value();
  }
  return trial;
}

// N12: a device that divides with an error may err where the result would be exact, too. Each of the first schedules
// so, unless what it explains is no such error: in f32 that shows in an output of the forward, before any mask. Where
// no quotient is exact the first trial finds as many elements outside as before, and the others would too.
std::vector<Trial> with_rounded_quotients(Stage& stage, const std::vector<Trial>& exact) {
  const auto& outputs = stage.context.interface.outputs;
  const auto forward_fails = [&](const Trial& trial) {
    const std::vector<std::string> failed = failed_outputs(trial);
    return std::any_of(failed.begin(), failed.end(), [&](const std::string& name) {
      return std::any_of(outputs.begin(), outputs.end(), [&](const Port& port) { return port.name == name; });
    });
  };
  std::vector<Trial> trials;
  for (const Trial& trial : exact) {
    Hypothesis rounded = trial.hypothesis;
    if (!run::has_quotients(stage.context, rounded.schedule)) continue;
    rounded.options.exact_quotients = false;
    rounded.name += " with rounded quotients";
    Trial tried = attempt(stage, std::move(rounded), nullptr);
    if (trials.empty() && !tried.explains && tried.outside == trial.outside) break;
    const bool shows = stage.context.dtype != DType::f32 || forward_fails(trial);
    if (shows || !tried.explains) trials.push_back(std::move(tried));
  }
  return trials;
}

std::string declaration(const Hypothesis& hypothesis, const NumericModel& model) {
  const std::string recipe = hypothesis.schedule.name.substr(0, hypothesis.schedule.name.find(' '));
  std::string line = "--recipe " + recipe;
  const bool named = hypothesis.schedule.recipe == nullptr && recipe == hypothesis.schedule.name;
  for (const auto& [point, dtype] : hypothesis.schedule.points) {
    if (named) break;  // a body's own schedule says its points by its name
    line += " --round " + point + "=" + (dtype.has_value() ? std::string(name_of(*dtype)) : "keep");
  }
  if (!(hypothesis.options.declared == model)) line += " --model " + to_text(hypothesis.options.declared);
  return line;
}

void report_success(Stage& stage, const std::vector<Trial>& trials) {
  const Trial* chosen = nullptr;
  for (const Trial& trial : trials) {
    if (!trial.explains) continue;
    if (chosen == nullptr) chosen = &trial;
    stage.report.explained_by.push_back(trial.hypothesis.name);
  }
  for (const OutputReport& output : chosen->outputs) stage.report.outputs.push_back(output);
  const run::TruthOptions& options = chosen->hypothesis.options;
  if (!options.exact_quotients) {
    stage.report.notes.push_back(
        "only a division or square root that errs by up to 1 ULP where f32 holds the result explains the kernel: legal "
        "(N12), and not to be told from a fault of that size");
  }
  if (options.declared == stage.request.spec.model) return;
  if (options.declared.flush_subnormals) {
    stage.report.notes.push_back(
        "only a device that makes 0 of f32 results below 2^-126 explains the kernel; declare it with --model " +
        to_text(options.declared));
  } else {
    stage.report.notes.push_back(
        "only a truncating accumulator explains the kernel: a systematic loss toward zero of that size cannot be told "
        "from a fault; if the device rounds to nearest, say so with --model ieee");
  }
}

std::string refutation(const Trial& trial) {
  const std::string unit = to_text(trial.hypothesis.options.declared);
  const auto percent = [](double share) { return base::number_text(std::round(100 * share)) + " %"; };
  return trial.refuted->output + " would lie within the limits of a truncating accumulator (" + unit + "), but shows " +
         percent(trial.refuted->share) + " of its drift, " + percent(trial.refuted->needed) +
         " needed; if the device is known to truncate, declare it with --model " + unit;
}

void report_failure(Stage& stage, const std::vector<Trial>& trials) {
  std::vector<std::pair<std::int64_t, std::size_t>> nearest;  // elements outside, trial: among equals the first tried
  for (std::size_t i = 0; i < trials.size(); ++i) nearest.emplace_back(trials[i].outside, i);
  std::sort(nearest.begin(), nearest.end());
  const auto honest = std::find_if(nearest.begin(), nearest.end(), [&](const auto& entry) {
    const Trial& trial = trials[entry.second];
    const run::Schedule& schedule = trial.hypothesis.schedule;
    return !schedule.lossy && !schedule.offered && !trial.refuted.has_value();
  });
  for (const OutputReport& output : trials[honest->second].outputs) stage.report.outputs.push_back(output);
  const auto refuted = std::find_if(trials.begin(), trials.end(), [](const Trial& t) { return t.refuted.has_value(); });
  if (refuted != trials.end()) stage.report.notes.push_back(refutation(*refuted));
  for (const auto& [outside, i] : nearest) {
    const Hypothesis& hypothesis = trials[i].hypothesis;
    if (!hypothesis.options.exact_quotients) continue;  // tried without being declared
    if (stage.report.nearest.size() == 3) break;
    stage.report.nearest.push_back(
        {hypothesis.name, declaration(hypothesis, stage.request.spec.model), outside, hypothesis.schedule.lossy});
  }
}

}  // namespace

void check_candidate(Stage& stage) {
  const NumericModel& declared = stage.request.spec.model;
  std::vector<Trial> trials;
  const auto explained = [&] {
    return std::any_of(trials.begin(), trials.end(), [](const Trial& trial) { return trial.explains; });
  };
  for (Hypothesis& hypothesis : hypotheses(stage, false, declared))
    trials.push_back(attempt(stage, std::move(hypothesis), nullptr));
  const std::size_t schedules = trials.size();
  if (explained()) return report_success(stage, trials);
  for (Trial& trial : with_rounded_quotients(stage, trials)) trials.push_back(std::move(trial));
  if (explained()) return report_success(stage, trials);
  const bool unknown_device = !stage.request.spec.model_given && declared == NumericModel{};
  const bool vanished = std::any_of(trials.begin(), trials.end(), [](const Trial& trial) { return trial.vanished; });
  if (unknown_device && vanished) {  // N12: a device may flush
    for (Hypothesis& hypothesis : hypotheses(stage, false, parse_model("ieee/flush")))
      trials.push_back(attempt(stage, std::move(hypothesis), nullptr));
    if (explained()) return report_success(stage, trials);
  }
  // J4: a device that says nothing of its accumulator is tried as rounding first, then as truncating.
  if (unknown_device) {
    for (const std::string& model : truncating_models) {
      std::vector<Hypothesis> truncating = hypotheses(stage, false, parse_model(model));
      for (std::size_t i = 0; i < schedules; ++i) {
        const Trial rounding = trials[i];
        trials.push_back(attempt(stage, std::move(truncating[i]), &rounding));
      }
      if (explained()) return report_success(stage, trials);
    }
  }
  std::vector<Hypothesis> never_silently = hypotheses(stage, true, declared);
  for (Hypothesis& hypothesis : with_kept_operands(stage)) never_silently.push_back(std::move(hypothesis));
  if (unknown_device && trials.front().contracts && stage.context.dtype == DType::f32) {
    const auto nearest = std::min_element(trials.begin(), trials.begin() + static_cast<std::ptrdiff_t>(schedules),
                                          [](const Trial& a, const Trial& b) { return a.outside < b.outside; });
    for (Hypothesis& hypothesis : with_short_operands(nearest->hypothesis))
      never_silently.push_back(std::move(hypothesis));
  }
  for (Hypothesis& hypothesis : never_silently) {
    const bool tried = std::any_of(trials.begin(), trials.end(),
                                   [&](const Trial& trial) { return trial.hypothesis.name == hypothesis.name; });
    if (!tried) trials.push_back(attempt(stage, std::move(hypothesis), nullptr));
  }
  report_failure(stage, trials);
}

}  // namespace fusecheck
