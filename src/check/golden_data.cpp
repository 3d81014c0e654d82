#include "check/golden_data.hpp"

#include <algorithm>

#include "check/memory_limit.hpp"
#include "check/stage.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck {
namespace {

Tensor storage(const Expected& expected, const std::vector<double>& values) {
  return Tensor::from(expected.dtype, expected.shape, std::span<const double>(values));
}

std::vector<run::Schedule> golden_schedules(const run::Context& context, const CaseSpec& spec) {
  const bool any = spec.recipe.empty() || spec.recipe == "any";
  if (any && spec.rounds.empty()) return run::schedules_of(context, false);
  return {run::find_schedule(context, any ? "" : spec.recipe, spec.rounds)};
}

// The forwards of all schedules at once take some 100 bytes for each element and schedule; a large case runs them
// twice.
bool fits_all_forwards(const Shapes& shapes) {
  std::int64_t elements = 0;
  for (const auto& [name, shape] : shapes) elements += element_count(shape);
  return elements < std::int64_t{1} << 22;
}

GoldenRecipe golden_recipe(Stage& stage, const run::Schedule& schedule, const run::EmulatedRun& emulated) {
  GoldenRecipe recipe;
  recipe.name = schedule.name;
  const run::TruthRun truth = truth_of(stage, schedule, truth_options(stage.request.spec.model));
  for (const std::string& name : stage.context.output_names()) {
    const Expected& expected = truth.outputs.at(name);
    recipe.truth[name] = storage(expected, expected.truth);
    recipe.low[name] = storage(expected, expected.low);
    recipe.high[name] = storage(expected, expected.high);
    recipe.emulated[name] = emulated.outputs.at(name);
  }
  return recipe;
}

Tensors body_truth(const Stage& stage) {
  std::map<std::string, std::vector<double>, std::less<>> inputs;
  for (const auto& [name, tensor] : stage.inputs) inputs[name] = tensor.doubles();
  const auto values = run::run_body(stage.context, inputs, stage.memo, stage.context.backward);
  Tensors body;
  for (const std::string& name : stage.context.output_names()) {
    body[name] = Tensor::from(stage.context.dtype_of(name), stage.context.shapes.at(name),
                              std::span<const double>(values.at(name)));
  }
  return body;
}

}  // namespace

GoldenData golden_data(const CaseSpec& spec, int threads, const std::string& simd, const Tensors& given) {
  if (spec.data.size() != 1) {
    usage_error("golden case " + to_line(spec) + " names " + std::to_string(spec.data.size()) +
                " data sets; golden data is of one");
  }
  CheckRequest request;
  request.spec = spec;
  request.threads = threads;
  request.simd = simd;
  run::Context context = run::make_context(spec);
  const auto& ports = context.interface.inputs;
  const bool from_user =
      std::all_of(ports.begin(), ports.end(), [&](const Port& port) { return given.contains(port.name); });
  if (spec.data.front() == DataSet::exact && !from_user) context = run::make_context(spec, true);
  require_memory(context.shapes);
  const engine::Execution execution{threads, engine::parse_simd(simd)};
  run::Memo memo(execution);
  DataSetReport notes;
  Stage stage{request, context, {}, {}, memo, notes, from_user};
  stage.inputs = run::draw_inputs(context, spec.data.front(), spec.seed, spec.dy_ones, given);
  stage.loaded = run::load(stage.inputs);
  const std::vector<run::Schedule> schedules = golden_schedules(context, spec);
  if (context.backward) {
    const bool dy_given = given.contains("d" + context.interface.first_output);
    zero_kinks(stage, dy_given, fits_all_forwards(context.shapes) ? schedules : std::vector<run::Schedule>());
  }

  GoldenData data;
  data.attrs = context.attrs;
  data.inputs = stage.inputs;
  data.kinks_zeroed = notes.kinks_zeroed;
  data.body = body_truth(stage);
  run::EmulatedMemo emulated_memo(execution);
  for (const run::Schedule& schedule : schedules) {
    const run::EmulatedRun emulated = run::run_emulated(context, schedule, stage.inputs, spec.model, emulated_memo);
    if (data.recipes.empty()) data.saved = emulated.saved;
    data.recipes.push_back(golden_recipe(stage, schedule, emulated));
  }
  return data;
}

}  // namespace fusecheck
