#include <algorithm>

#include "check/stage.hpp"

namespace fusecheck {
namespace {

// The forward of every schedule that a candidate may follow. Those that are judged go on from there once dy is settled,
// of the others nobody sees y.
std::vector<bool> uncertain_signs(Stage& stage, std::int64_t elements, const std::vector<run::Schedule>& judged) {
  std::vector<bool> uncertain(static_cast<std::size_t>(elements), false);
  std::vector<double> first;
  for (const run::Schedule& schedule : run::schedules_of(stage.context, false)) {
    run::TruthOptions options = truth_options(stage.request.spec.model);
    const auto wanted = std::find_if(judged.begin(), judged.end(),
                                     [&](const run::Schedule& other) { return other.name == schedule.name; });
    options.only_saved = wanted == judged.end();
    run::TruthForward forward = run::start_truth(stage.context, schedule, stage.loaded, options, stage.memo);
    for (const auto& [name, mask] : run::saved_of(forward)) {
      if (stage.context.dtype_of(name) != DType::boolean || mask.size() != uncertain.size()) continue;
      if (first.empty()) first = *mask.v;
      for (std::size_t i = 0; i < uncertain.size(); ++i) {
        if (mask.lows()[i] != mask.highs()[i] || (*mask.v)[i] != first[i]) uncertain[i] = true;
      }
    }
    if (wanted != judged.end()) stage.forwards.emplace(schedule.name, std::move(forward));
  }
  return uncertain;
}

bool has_mask(const run::Context& context) {
  for (const Port& port : context.interface.saved) {
    if (context.dtype_of(port.name) == DType::boolean) return true;
  }
  return false;
}

}  // namespace

void zero_kinks(Stage& stage, bool dy_given, const std::vector<run::Schedule>& judged) {
  const std::string dy = "d" + stage.context.interface.first_output;
  Tensor& tensor = stage.inputs.at(dy);
  stage.report.kinks_total = tensor.size();
  if (!has_mask(stage.context) || stage.inputs.contains("mask")) return;
  const std::vector<bool> uncertain = uncertain_signs(stage, tensor.size(), judged);
  std::vector<double> values = tensor.doubles();
  std::int64_t count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!uncertain[i] || values[i] == 0) continue;
    ++count;
    values[i] = 0;
  }
  stage.report.kinks_zeroed = count;
  if (count == 0) return;
  if (dy_given) {
    stage.report.notes.push_back(
        std::to_string(count) + " of " + std::to_string(tensor.size()) +
        " elements have an uncertain sign in front of relu; dy is yours and stays, the limits widen");
    return;
  }
  tensor = Tensor::from(tensor.dtype(), tensor.shape(), std::span<const double>(values));
  stage.loaded.tensors[dy].second.v = run::share(std::move(values));
  if (count * 20 > tensor.size()) {  // J9: over 5 %
    stage.report.notes.push_back("dy is 0 at " + std::to_string(count) + " of " + std::to_string(tensor.size()) +
                                 " elements, where the sign in front of relu is not certain");
  }
}

}  // namespace fusecheck
