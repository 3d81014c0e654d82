#include "run/context.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "graph/own_op.hpp"

namespace fusecheck::run {
namespace {

void check_dtypes(const CaseSpec& spec) {
  if (spec.dtype != DType::f16 && spec.dtype != DType::bf16 && spec.dtype != DType::f32) {
    usage_error("--dtype " + std::string(name_of(spec.dtype)) + ": a case is f16, bf16 or f32");
  }
  for (const auto& [name, dtype] : spec.tensor_dtypes) {
    if (!is_floating(dtype))
      usage_error("--dtype " + name + "=" + std::string(name_of(dtype)) + ": only floating types");
    if (dtype == DType::f64) usage_error("--dtype " + name + "=f64: kernels compute in f32; choose f16, bf16 or f32");
  }
}

// The gradient of an input is stored as the input is, unless --dtype names it.
void add_gradients(const CaseSpec& spec, Context& context) {
  const auto add = [&](const std::string& of) {
    const std::string name = "d" + of;
    const auto given = spec.tensor_dtypes.find(name);
    context.shapes[name] = context.shapes.at(of);
    context.dtypes[name] = given != spec.tensor_dtypes.end() ? given->second : context.dtypes.at(of);
  };
  add(context.interface.first_output);
  for (const Port& port : context.interface.inputs) {
    if (port.gradient) add(port.name);
  }
}

// What attributes leave to the shapes: as many output channels as the result has, padding that keeps the size at
// stride 1. An attribute that two calls share stays open where they settle it differently: each call settles its own.
void settle_attributes(Context& context) {
  std::map<std::string, std::vector<double>> settled;
  std::set<std::string> open;
  const auto settle = [&](const graph::Node& node, const std::string& attribute, std::vector<double> value) {
    const std::string name = graph::attribute_name(node, attribute);
    if (name.empty()) return;
    const auto [place, fresh] = settled.emplace(name, value);
    if (!fresh && place->second != value) open.insert(name);
  };
  for (const graph::Node& node : graph::body_of(*context.op).nodes) {
    const Attrs attrs = graph::attributes_of(node, context.attrs);
    if (attrs.has("oc")) settle(node, "oc", {static_cast<double>(context.shapes.at(node.result).at(1))});
    if (!attrs.has("pad") || !attrs.has("kernel") || !attrs.has("dilation")) continue;
    std::vector<double> pad = attrs.list("pad");
    const std::size_t rank = attrs.list("kernel").size();
    for (std::size_t side = 0; side < pad.size(); ++side) {
      if (pad[side] >= 0) continue;
      const std::int64_t taps = attrs.integer("kernel", side % rank);
      pad[side] = static_cast<double>(attrs.integer("dilation", side % rank) * (taps - 1) / 2);
    }
    settle(node, "pad", std::move(pad));
  }
  for (auto& [name, value] : settled) {
    if (!open.contains(name)) context.attrs.set(name, std::move(value));
  }
}

// The kernel size that given weights say: w is oc, c/groups, kernel ... wherever a call has both.
void take_kernel_sizes(const CaseSpec& spec, const OpDef& op, Attrs& given) {
  for (const graph::Node& node : graph::body_of(op).nodes) {
    const auto& attrs = node.op->attrs;
    const auto kernel =
        std::find_if(attrs.begin(), attrs.end(), [](const AttrSpec& attr) { return attr.name == "kernel"; });
    if (kernel == attrs.end()) continue;
    const std::string name = graph::attribute_name(node, "kernel");
    if (name.empty() || given.has(name)) continue;
    for (std::size_t i = 0; i < node.arguments.size(); ++i) {
      const auto shape = spec.shapes.find(node.arguments[i]);
      if (node.op->inputs[i].name != "w" || shape == spec.shapes.end()) continue;
      if (shape->second.size() != 2 + kernel->fallback.size()) continue;
      given.set(name, std::vector<double>(shape->second.begin() + 2, shape->second.end()));
    }
  }
}

// Every call of batch_norm in one mode: outputs and recipes are those of one.
bool is_training(const OpDef& op, const Attrs& attrs) {
  std::optional<bool> training;
  for (const graph::Node& node : graph::body_of(op).nodes) {
    const Attrs own = graph::attributes_of(node, attrs);
    if (!own.has("bn")) continue;
    const bool trains = own.integer("bn") == 1;
    if (training.value_or(trains) != trains) {
      usage_error(op.name + ": one batch_norm infers and another one trains; give all the same bn");
    }
    training = trains;
  }
  return training.value_or(false);
}

// Powers of two, unless the case or the body says otherwise (J10).
void use_exact_eps(const CaseSpec& spec, Context& context) {
  for (const graph::Node& node : graph::body_of(*context.op).nodes) {
    const std::string name = graph::attribute_name(node, "eps");
    if (name.empty() || !context.attrs.has(name) || spec.attrs.has(name)) continue;
    context.attrs.set(name, {spec.dtype == DType::bf16 ? 0x1p-7 : 0x1p-10});
  }
}

// A value that the op forms may not go where its primitive gives no gradient: dx would lack a part.
void check_differentiable(const Context& context) {
  std::set<std::string> edges;
  for (const graph::Node& node : graph::body_of(*context.op).nodes) {
    for (std::size_t i = 0; i < node.arguments.size(); ++i) {
      if (node.op->inputs[i].gradient || !edges.contains(node.arguments[i])) continue;
      usage_error("body: " + node.op->name + " gives no gradient of its " + node.op->inputs[i].name + ", where '" +
                  node.arguments[i] + "' goes; check it with --direction fwd");
    }
    edges.insert(node.result);
    edges.insert(node.further.begin(), node.further.end());
  }
}

// What infer left under an index tensor's name and "<".
void take_limits(Context& context) {
  for (auto entry = context.shapes.begin(); entry != context.shapes.end();) {
    if (!entry->first.ends_with('<')) {
      ++entry;
      continue;
    }
    context.limits[entry->first.substr(0, entry->first.size() - 1)] = entry->second.at(0);
    entry = context.shapes.erase(entry);
  }
}

void drop_ports(std::vector<Port>& ports, const std::function<bool(const Port&)>& unwanted) {
  ports.erase(std::remove_if(ports.begin(), ports.end(), unwanted), ports.end());
}

void check_names(const CaseSpec& spec, const Context& context) {
  std::vector<std::string> known;
  for (const auto& [name, dtype] : context.dtypes) known.push_back(name);
  for (const auto& [name, dtype] : spec.tensor_dtypes) {
    if (!context.dtypes.contains(name)) {
      usage_error("--dtype names a tensor '" + name + "' that " + context.op->name + " has not" +
                  base::hint(name, known));
    }
  }
  for (const auto& [name, shape] : spec.shapes) {
    if (!context.dtypes.contains(name)) {
      usage_error("--shape names a tensor '" + name + "' that " + context.op->name + " has not" +
                  base::hint(name, known));
    }
  }
}

}  // namespace

DType storage_of(const CaseSpec& spec, const Port& port) {
  const auto given = spec.tensor_dtypes.find(port.name);
  if (given != spec.tensor_dtypes.end()) return given->second;
  if (port.role == Role::mask) return DType::boolean;
  if (port.role == Role::index) return DType::i32;
  if (port.role == Role::data) return spec.dtype;
  return spec.param_dtype.value_or(DType::f32);  // J1
}

DType Context::dtype_of(std::string_view tensor) const {
  const auto found = dtypes.find(tensor);
  if (found == dtypes.end()) internal_error("no storage type is known for tensor '" + std::string(tensor) + "'");
  return found->second;
}

std::vector<std::string> Context::output_names() const {
  std::vector<std::string> names;
  if (forward) {
    for (const Port& port : interface.outputs) names.push_back(port.name);
  }
  if (backward) {
    for (const Port& port : interface.inputs) {
      if (port.gradient) names.push_back("d" + port.name);
    }
  }
  return names;
}

DType storage_of(const CaseSpec& spec, const graph::Interface& interface, const Port& port) {
  const auto cast = interface.casts.find(port.name);
  return cast != interface.casts.end() && !spec.tensor_dtypes.contains(port.name) ? cast->second
                                                                                  : storage_of(spec, port);
}

Context make_context(const CaseSpec& spec, bool exact_eps) {
  check_dtypes(spec);
  Context context;
  context.own = graph::op_of(spec.op, spec.body);
  context.op = context.own.get();
  context.interface = graph::interface_of(*context.op);
  context.dtype = spec.dtype;
  context.forward = spec.passes != Passes::backward;
  context.backward = spec.passes != Passes::forward;
  Attrs given = spec.attrs;
  take_kernel_sizes(spec, *context.op, given);
  context.attrs = complete_attrs(context.interface.attrs, given, context.op->name);
  context.training = is_training(*context.op, context.attrs);
  if (exact_eps) use_exact_eps(spec, context);
  if (context.backward) check_differentiable(context);
  const std::string& first = context.interface.inputs.at(0).name;
  if (!spec.shapes.contains(first)) usage_error(context.op->name + " needs --shape: the dimensions of " + first);
  std::vector<std::string> absent;
  for (const Port& port : context.interface.inputs) {
    if (port.optional && !spec.bias && !spec.shapes.contains(port.name)) absent.push_back(port.name);
  }
  drop_ports(context.interface.inputs,
             [&](const Port& port) { return std::find(absent.begin(), absent.end(), port.name) != absent.end(); });
  const auto untrained = [&](const Port& port) { return port.training_only && !context.training; };
  drop_ports(context.interface.outputs, untrained);
  drop_ports(context.interface.saved, untrained);
  context.shapes = graph::complete_shapes(*context.op, spec.shapes, context.attrs, absent);
  take_limits(context);
  settle_attributes(context);
  for (const auto* ports : {&context.interface.inputs, &context.interface.outputs}) {
    for (const Port& port : *ports) context.dtypes[port.name] = storage_of(spec, context.interface, port);
  }
  CaseSpec saved = spec;
  saved.param_dtype.reset();  // statistics that a forward leaves to its backward are f32, whatever gamma is (J1)
  for (const Port& port : context.interface.saved) {
    context.dtypes[port.name] = storage_of(saved, context.interface, port);
  }
  add_gradients(spec, context);
  check_names(spec, context);
  return context;
}

}  // namespace fusecheck::run
