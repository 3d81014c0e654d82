#include "check/case_info.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/registry.hpp"
#include "graph/body.hpp"

namespace fusecheck {
namespace {

DType storage_of(const CaseSpec& spec, const std::string& tensor, Role role) {
  const auto given = spec.tensor_dtypes.find(tensor);
  if (given != spec.tensor_dtypes.end()) return given->second;
  if (role == Role::mask) return DType::boolean;
  if (role == Role::data) return spec.dtype;
  if (spec.param_dtype) return *spec.param_dtype;
  return size_of(spec.dtype) == 2 ? DType::f32 : spec.dtype;
}

bool is_training(const CaseSpec& spec) { return spec.attrs.has("bn") && spec.attrs.integer("bn") == 1; }

std::vector<std::string> all_names(const CaseInfo& info) {
  std::vector<std::string> names = info.inputs;
  for (const auto* list : {&info.outputs, &info.gradients, &info.saved}) {
    names.insert(names.end(), list->begin(), list->end());
  }
  names.push_back(info.upstream);
  return names;
}

void require_known_dtypes(const CaseSpec& spec, const CaseInfo& info) {
  const std::vector<std::string> names = all_names(info);
  for (const auto& [tensor, dtype] : spec.tensor_dtypes) {
    if (std::find(names.begin(), names.end(), tensor) != names.end()) continue;
    usage_error("--dtype " + tensor + "=" + std::string(name_of(dtype)) + ": " + info.op->name + " has no tensor " +
                base::quoted(tensor) + "." + base::suggestion(tensor, names));
  }
}

std::string listed(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += " " + name;
  return list;
}

void require_known_shapes(const CaseSpec& spec, const CaseInfo& info) {
  for (const auto& [tensor, shape] : spec.shapes) {
    if (std::find(info.inputs.begin(), info.inputs.end(), tensor) != info.inputs.end()) continue;
    const bool output = std::find(info.outputs.begin(), info.outputs.end(), tensor) != info.outputs.end();
    if (output)
      usage_error("--shape " + tensor + "=" + to_text(shape) + ": an output's shape follows from the inputs'");
    usage_error("--shape " + tensor + "=" + to_text(shape) + ": " + info.op->name + " has no input " +
                base::quoted(tensor) + "; it has" + listed(info.inputs) + "." + base::suggestion(tensor, info.inputs));
  }
}

}  // namespace

CaseInfo tensor_names(const CaseSpec& spec) {
  CaseInfo info;
  info.op = &find_op(spec.op);
  const graph::Interface interface = graph::interface_of(*info.op);
  const bool training = is_training(spec);
  for (const Port& port : interface.inputs) {
    if (port.optional && !spec.bias) continue;
    info.inputs.push_back(port.name);
    info.dtypes[port.name] = storage_of(spec, port.name, port.role);
    if (!port.gradient) continue;
    info.gradients.push_back("d" + port.name);
    info.dtypes["d" + port.name] = storage_of(spec, "d" + port.name, port.role);
  }
  for (const Port& port : interface.outputs) {
    if (port.training_only && !training) continue;
    info.outputs.push_back(port.name);
    info.dtypes[port.name] = storage_of(spec, port.name, port.role);
  }
  for (const Port& port : interface.saved) {
    if (port.training_only && !training) continue;
    info.saved.push_back(port.name);
    info.dtypes[port.name] = storage_of(spec, port.name, port.role);
  }
  info.upstream = "d" + interface.first_output;
  info.dtypes[info.upstream] = storage_of(spec, info.upstream, Role::data);
  require_known_dtypes(spec, info);
  return info;
}

CaseInfo case_info(const CaseSpec& spec) {
  CaseInfo info = tensor_names(spec);
  require_known_shapes(spec, info);
  const graph::Interface interface = graph::interface_of(*info.op);
  info.attrs = complete_attrs(interface.attrs, spec.attrs, info.op->name);
  if (!spec.shapes.contains(info.inputs.front())) {
    usage_error(info.op->name + " needs the shape of " + info.inputs.front() + ": --shape 1,64,56,56, or --input " +
                info.inputs.front() + "=FILE.npy");
  }
  std::vector<std::string> absent;
  for (const Port& port : interface.inputs) {
    if (port.optional && !spec.bias) absent.push_back(port.name);
  }
  info.shapes = graph::complete_shapes(*info.op, spec.shapes, info.attrs, absent);
  for (const std::string& gradient : info.gradients) info.shapes[gradient] = info.shapes.at(gradient.substr(1));
  info.shapes[info.upstream] = info.shapes.at(interface.first_output);
  return info;
}

}  // namespace fusecheck
