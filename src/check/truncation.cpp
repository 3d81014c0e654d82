#include "check/truncation.hpp"

#include <algorithm>
#include <cmath>

namespace fusecheck {
namespace {

using Values = std::map<std::string, std::vector<double>, std::less<>>;

Values outputs_of(const Stage& stage, const run::Schedule& schedule, const NumericModel& model,
                  const std::vector<std::string>& outputs) {
  run::EmulatedMemo memo(stage.memo.execution());
  const run::EmulatedRun run = run::run_emulated(stage.context, schedule, stage.inputs, model, memo);
  Values values;
  for (const std::string& name : outputs) values[name] = run.outputs.at(name).doubles();
  return values;
}

}  // namespace

double drift_share(const Expected& expected, std::span<const double> unit, std::span<const double> actual) {
  double common = 0;
  double drift = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double truth = expected.truth[i], p = unit[i] - truth, q = actual[i] - truth;
    if (p == 0 || !std::isfinite(p) || !std::isfinite(q) || !std::isfinite(expected.half_width[i])) continue;
    const double scale = 1 / (expected.half_width[i] + ulp(expected.dtype, truth));
    const double weight = p * scale * p * scale;
    common += weight * std::clamp(q / p, -1.0, 1.0);
    drift += weight;
  }
  return drift > 0 ? common / drift : 0;
}

std::optional<MissingDrift> missing_drift(const Stage& stage, const run::Schedule& schedule, const NumericModel& unit,
                                          const run::TruthRun& truth, const std::vector<std::string>& outputs) {
  Values actual;
  for (const std::string& name : outputs) actual[name] = stage.actual.find(name)->second.doubles();
  std::vector<Values> nearest;
  for (const NumericModel& order : legal_models({})) {
    nearest.push_back(outputs_of(stage, schedule, order, outputs));
  }
  std::optional<MissingDrift> missing;
  for (const NumericModel& layout : legal_models(unit)) {
    const Values drifting = outputs_of(stage, schedule, layout, outputs);
    missing.reset();
    for (const std::string& name : outputs) {
      const Expected& expected = truth.outputs.find(name)->second;
      double of_nearest = 0;
      for (const Values& order : nearest) {
        of_nearest = std::max(of_nearest, drift_share(expected, drifting.at(name), order.at(name)));
      }
      const MissingDrift found = {name, drift_share(expected, drifting.at(name), actual.at(name)),
                                  (1 + of_nearest) / 2};
      if (found.share < found.needed) {
        missing = found;
        break;
      }
    }
    if (!missing.has_value()) return {};
  }
  return missing;
}

}  // namespace fusecheck
