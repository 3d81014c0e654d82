#include "check/hypotheses.hpp"

#include <map>
#include <utility>

namespace fusecheck {
namespace {

// What a model that nobody declared adds to a schedule's name.
std::string difference(const NumericModel& model) {
  if (model.flush_subnormals) return " with subnormals flushed";
  return " with " + to_text(model) + (model.operand_bits != 0 ? "" : " accumulation");
}

}  // namespace

std::vector<Hypothesis> hypotheses(const Stage& stage, bool lossy, const NumericModel& model) {
  const CaseSpec& spec = stage.request.spec;
  std::vector<run::Schedule> schedules;
  const bool any = spec.recipe.empty() || spec.recipe == "any";
  if (any && spec.rounds.empty()) {
    schedules = run::schedules_of(stage.context, lossy || spec.recipe == "any");
    if (!lossy) std::erase_if(schedules, [](const run::Schedule& schedule) { return schedule.lossy; });
  } else {
    schedules = {run::find_schedule(stage.context, any ? "" : spec.recipe, spec.rounds)};
  }
  std::vector<Hypothesis> list;
  for (run::Schedule& schedule : schedules) {
    std::string name = schedule.name;
    if (!(model == spec.model)) name += difference(model);
    list.push_back({std::move(schedule), truth_options(model), std::move(name)});
  }
  return list;
}

std::vector<Hypothesis> with_kept_operands(const Stage& stage) {
  const CaseSpec& spec = stage.request.spec;
  std::vector<Hypothesis> list;
  if (!(spec.recipe.empty() || spec.recipe == "any") || !spec.rounds.empty()) return list;
  for (const run::Schedule& schedule : run::schedules_of(stage.context, false)) {
    std::map<std::string, std::string, std::less<>> kept;
    if (schedule.recipe == nullptr) continue;
    for (const std::string& point : run::operand_points(stage.context, schedule)) kept[point] = "keep";
    if (kept.empty()) continue;
    run::Schedule offered = run::find_schedule(stage.context, schedule.name, kept);
    offered.offered = true;
    std::string name = offered.name;
    list.push_back({std::move(offered), truth_options(spec.model), std::move(name)});
  }
  return list;
}

std::vector<Hypothesis> with_short_operands(const Hypothesis& hypothesis) {
  std::vector<Hypothesis> list;
  for (const char* text : {"ieee/operands:hf32", "ieee/operands:tf32"}) {
    const NumericModel model = parse_model(text);
    Hypothesis shortened = {hypothesis.schedule, truth_options(model), hypothesis.name + difference(model)};
    shortened.schedule.offered = true;
    list.push_back(std::move(shortened));
  }
  return list;
}

}  // namespace fusecheck
