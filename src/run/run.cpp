#include "run/run.hpp"

#include <algorithm>

#include "fusecheck/error.hpp"
#include "graph/evaluate.hpp"

namespace fusecheck::run {
namespace {

graph::Request request_of(const Context& context, bool backward) {
  graph::Request request;
  request.op = context.op;
  request.attrs = &context.attrs;
  request.backward = backward;
  return request;
}

// Inputs of the op and dy bind as inputs, anything else is a saved tensor.
template <class Load>
void bind_inputs(const Context& context, graph::Request& request, const std::vector<std::string>& names, Load load) {
  const std::string dy = "d" + context.interface.first_output;
  for (const std::string& name : names) {
    const auto& inputs = context.interface.inputs;
    const bool input = std::any_of(inputs.begin(), inputs.end(), [&](const Port& port) { return port.name == name; });
    if (input) {
      request.inputs[name] = load(name);
    } else if (name == dy) {
      request.inputs["dy"] = load(name);
    } else {
      request.supplied[name] = load(name);
    }
  }
}

template <class Map>
std::vector<std::string> names_of(const Map& map) {
  std::vector<std::string> names;
  for (const auto& entry : map) names.push_back(entry.first);
  return names;
}

void bind_real(const Context& context, graph::Request& request, const Loaded& inputs) {
  bind_inputs(context, request, names_of(inputs.tensors), [&](const std::string& name) {
    const auto& [shape, real] = inputs.tensors.find(name)->second;
    return Value{shape, std::make_shared<const Real>(real)};
  });
}

// Takes the arrays along where nobody else has them.
Expected expected_of(const Context& context, const std::string& name, const Shape& shape, Real stored) {
  Expected expected;
  expected.shape = shape;
  expected.dtype = context.dtype_of(name);
  {
    const std::shared_ptr<const Real> kept = std::move(stored.before);
    const Real& before = kept != nullptr ? *kept : stored;
    expected.half_width = half_widths(before);
    expected.typical = before.typical;
    expected.typical_bias = before.bias;
    expected.typical_rms = before.rms;
    expected.rigorous = before.rigorous;
    expected.exact =
        kept != nullptr && kept.use_count() == 1 ? taken(std::move(const_cast<Real&>(*kept).v)) : *before.v;
  }
  expected.uncertified = stored.uncertified;
  expected.low = stored.exact() ? *stored.v : taken(std::move(stored.low));
  expected.high = stored.high == nullptr ? *stored.v : taken(std::move(stored.high));
  expected.truth = taken(std::move(stored.v));
  for (std::size_t i = 0; i < expected.low.size(); ++i) {
    if (expected.low[i] < -largest_finite(DType::f64) && expected.high[i] > largest_finite(DType::f64))
      ++expected.ambiguous;
  }
  if (context.training && shape.size() > 1) {  // J7: the elements of a channel share its statistics
    const std::size_t channel = name == "dw" ? 0 : 1;
    std::int64_t plane = 1;
    for (std::size_t axis = channel + 1; axis < shape.size(); ++axis) plane *= shape[axis];
    expected.group.resize(expected.truth.size());
    for (std::size_t i = 0; i < expected.group.size(); ++i) {
      expected.group[i] = static_cast<std::int32_t>(static_cast<std::int64_t>(i) / plane % shape[channel]);
    }
  }
  for (const Structural& structural : context.op->structural) {
    if (structural.output == name && (context.training || !structural.training_only))
      expected.structural = structural.reason;
  }
  return expected;
}

}  // namespace

Loaded load(const Tensors& tensors) {
  Loaded loaded;
  for (const auto& [name, tensor] : tensors) {
    Real real;
    real.v = share(tensor.doubles());
    loaded.tensors[name] = {tensor.shape(), std::move(real)};
  }
  return loaded;
}

TruthForward start_truth(const Context& context, const Schedule& schedule, const Loaded& inputs,
                         const TruthOptions& options, Memo& memo) {
  TruthForward start;
  start.schedule = std::make_unique<Schedule>(schedule);
  start.options = options;
  start.memo = &memo;
  start.kernel = std::make_unique<RealKernel>(context, *start.schedule, options, memo);
  graph::Request request = request_of(context, false);
  bind_real(context, request, inputs);
  memo.start_trace();
  start.forward = std::make_unique<graph::Forward>(graph::run_forward(*start.kernel, start.schedule->recipe, request));
  start.contractions = memo.trace();
  return start;
}

void look_at_saved(const TruthForward& start, const std::string& name, bool keep, const Look& look) {
  const auto found = start.forward->result.saved.find(name);
  if (found == start.forward->result.saved.end()) return;
  if (keep) RealKernel::real(found->second);
  RealKernel::look(found->second, look);
}

TruthRun finish_truth(const Context& context, TruthForward start, const Loaded& inputs, bool backward) {
  graph::Evaluation evaluation;
  start.memo->start_trace();
  if (backward) {
    const auto& [shape, dy] = inputs.tensors.find("d" + context.interface.first_output)->second;
    evaluation = graph::run_backward(std::move(*start.forward), {shape, std::make_shared<const Real>(dy)});
  } else {
    evaluation = std::move(start.forward->result);
  }
  TruthRun run;
  run.contractions = std::move(start.contractions);
  run.contractions.insert(run.contractions.end(), start.memo->trace().begin(), start.memo->trace().end());
  for (const auto& [name, value] : evaluation.saved) run.saved[name] = RealKernel::real(value);
  for (auto& [name, value] : evaluation.outputs) {
    Real real = RealKernel::real(value);
    const Shape shape = value.shape;
    if (!start.options.magnitudes) value = {};  // what nobody else has can be taken
    run.outputs[name] = expected_of(context, name, shape, start.options.magnitudes ? real : std::move(real));
    if (start.options.magnitudes) {
      std::vector<double> magnitude = real.magnitude != nullptr ? *real.magnitude : *real.v;
      for (double& m : magnitude) m = m < 0 ? -m : m;
      run.magnitudes[name] = std::move(magnitude);
    }
  }
  for (const auto& [name, value] : evaluation.before_last_step) {
    const Doubles exact = RealKernel::values(value);
    std::vector<double> rounded(exact->size());
    round_to(context.dtype_of(name), std::span<const double>(*exact), rounded, start.options.declared.store);
    run.without_last_step[name] = std::move(rounded);
  }
  return run;
}

TruthRun run_truth(const Context& context, const Schedule& schedule, const Loaded& inputs, const TruthOptions& options,
                   Memo& memo, bool backward) {
  return finish_truth(context, start_truth(context, schedule, inputs, options, memo), inputs, backward);
}

TruthRun run_truth(const Context& context, const Schedule& schedule, const Tensors& inputs, const TruthOptions& options,
                   Memo& memo, bool backward) {
  return run_truth(context, schedule, load(inputs), options, memo, backward);
}

Expected expected_of(const ContractionRecord& record, const TruthOptions& options, Memo& memo) {
  Real a;
  a.v = record.a;
  Real b;
  b.v = record.b;
  Real bias;
  bias.v = record.bias;
  const Real sum = contract(record.problem, a, b, record.bias == nullptr ? nullptr : &bias, options, memo);
  const auto rounded = [](std::vector<double> values) {
    round_to(DType::f32, std::span<const double>(values), values);
    return values;
  };
  Expected expected;
  expected.shape = record.problem.output_shape();
  expected.dtype = DType::f32;
  expected.truth = rounded(*sum.v);
  expected.low = rounded(sum.lows());
  expected.high = rounded(sum.highs());
  expected.exact = *sum.v;
  expected.half_width = half_widths(sum);
  expected.typical = sum.typical;
  expected.typical_bias = sum.bias;
  expected.typical_rms = sum.rms;
  expected.rigorous = sum.rigorous;
  return expected;
}

namespace {

graph::Evaluation emulate(EmulatedKernel& kernel, const Context& context, const Schedule& schedule,
                          const Tensors& inputs) {
  graph::Request request = request_of(context, context.backward);
  bind_inputs(context, request, names_of(inputs),
              [&](const std::string& name) { return EmulatedKernel::load(inputs.find(name)->second); });
  return graph::run(kernel, schedule.recipe, request);
}

}  // namespace

EmulatedRun run_emulated(const Context& context, const Schedule& schedule, const Tensors& inputs,
                         const NumericModel& model, EmulatedMemo& memo) {
  EmulatedKernel kernel(context, schedule, model, memo);
  const graph::Evaluation evaluation = emulate(kernel, context, schedule, inputs);
  EmulatedRun run;
  const auto collect = [&](const graph::Values& values, Tensors& into) {
    for (const auto& [name, value] : values) {
      into[name] = EmulatedKernel::tensor(value, context.dtype_of(name));
    }
  };
  collect(evaluation.outputs, run.outputs);
  collect(evaluation.saved, run.saved);
  return run;
}

Tensors run_points(const Context& context, const Schedule& schedule, const Tensors& inputs, const NumericModel& model,
                   EmulatedMemo& memo, const std::vector<std::string>& points) {
  EmulatedKernel kernel(context, schedule, model, memo);
  emulate(kernel, context, schedule, inputs);
  Tensors tensors;
  for (const std::string& point : points) {
    const auto found = kernel.points().find(point);
    if (found == kernel.points().end()) continue;
    const auto& [value, dtype] = found->second;
    tensors[point] = EmulatedKernel::tensor(value, dtype);
  }
  return tensors;
}

std::map<std::string, std::vector<float>, std::less<>> run_unrounded(const Context& context, const Schedule& schedule,
                                                                     const Tensors& inputs, const NumericModel& model,
                                                                     EmulatedMemo& memo) {
  EmulatedKernel kernel(context, schedule, model, memo);
  const graph::Evaluation evaluation = emulate(kernel, context, schedule, inputs);
  std::map<std::string, std::vector<float>, std::less<>> outputs;
  for (const auto& [name, value] : evaluation.outputs) outputs[name] = EmulatedKernel::floats(kernel.before(name));
  return outputs;
}

std::map<std::string, std::vector<double>, std::less<>> run_body(
    const Context& context, const std::map<std::string, std::vector<double>, std::less<>>& inputs, Memo& memo,
    bool backward) {
  const Schedule schedule = plain_body();
  TruthOptions options;
  options.intervals = false;
  RealKernel kernel(context, schedule, options, memo);
  graph::Request request = request_of(context, backward);
  bind_inputs(context, request, names_of(inputs),
              [&](const std::string& name) { return kernel.load(context.shapes.at(name), inputs.find(name)->second); });
  std::map<std::string, std::vector<double>, std::less<>> outputs;
  const graph::Evaluation evaluation = graph::run(kernel, nullptr, request);
  for (const auto* values : {&evaluation.outputs, &evaluation.saved}) {
    for (const auto& [name, value] : *values) outputs[name] = *RealKernel::real(value).v;
  }
  return outputs;
}

}  // namespace fusecheck::run
