#include "check/folded_inputs.hpp"

#include "run/run.hpp"

namespace fusecheck {

Tensors folded_inputs(const CaseSpec& spec, const Tensors& inputs, const std::string& recipe) {
  CaseSpec forward = spec;
  forward.passes = Passes::forward;
  const run::Context context = run::make_context(forward, spec.data.size() == 1 && spec.data.front() == DataSet::exact);
  const std::string name = recipe.substr(0, recipe.find(' '));
  const run::Schedule schedule = run::find_schedule(context, name, spec.rounds);
  run::EmulatedMemo memo({1, {}});
  return run::run_points(context, schedule, inputs, spec.model, memo, {"w_folded", "b_folded"});
}

}  // namespace fusecheck
