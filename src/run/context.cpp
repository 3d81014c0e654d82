#include "run/context.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/registry.hpp"

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

// What attributes leave to the shapes: as many output channels as w says, padding that keeps the size at stride 1.
void settle_attributes(Context& context) {
  const auto w = context.shapes.find("w");
  if (context.attrs.has("oc") && w != context.shapes.end()) {
    context.attrs.set("oc", {static_cast<double>(w->second.at(0))});
  }
  if (!context.attrs.has("pad") || !context.attrs.has("kernel") || !context.attrs.has("dilation")) return;
  std::vector<double> pad = context.attrs.list("pad");
  for (std::size_t side = 0; side < pad.size(); ++side) {
    const std::size_t axis = side % 2;
    if (pad[side] >= 0) continue;
    const std::int64_t reach = context.attrs.integer("dilation", axis) * (context.attrs.integer("kernel", axis) - 1);
    pad[side] = static_cast<double>(reach / 2);
  }
  context.attrs.set("pad", std::move(pad));
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

Context make_context(const CaseSpec& spec, bool exact_eps) {
  check_dtypes(spec);
  Context context;
  context.op = &find_op(spec.op);
  context.interface = graph::interface_of(*context.op);
  context.dtype = spec.dtype;
  context.forward = spec.passes != Passes::backward;
  context.backward = spec.passes != Passes::forward;
  Attrs given = spec.attrs;
  if (spec.shapes.contains("w") && !given.has("kernel") && spec.shapes.at("w").size() == 4) {
    given.set("kernel", {static_cast<double>(spec.shapes.at("w")[2]), static_cast<double>(spec.shapes.at("w")[3])});
  }
  context.attrs = complete_attrs(context.interface.attrs, given, context.op->name);
  context.training = context.attrs.has("bn") && context.attrs.integer("bn") == 1;
  if (exact_eps && context.attrs.has("eps") && !spec.attrs.has("eps")) {
    context.attrs.set("eps", {spec.dtype == DType::bf16 ? 0x1p-7 : 0x1p-10});  // J10
  }
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
  settle_attributes(context);
  for (const auto* ports : {&context.interface.inputs, &context.interface.outputs, &context.interface.saved}) {
    for (const Port& port : *ports) context.dtypes[port.name] = storage_of(spec, port);
  }
  add_gradients(spec, context);
  check_names(spec, context);
  return context;
}

}  // namespace fusecheck::run
