#include "check/case_info.hpp"

#include <algorithm>

#include "graph/own_op.hpp"
#include "run/context.hpp"

namespace fusecheck {

std::string canonical_body(const std::string& text_or_file) { return graph::read_own_body(text_or_file); }

std::vector<AttrSpec> attributes_of(const OpDef& op) { return graph::interface_of(op).attrs; }

TensorNames tensor_names(const CaseSpec& spec) {
  const graph::Interface interface = graph::interface_of(*graph::op_of(spec.op, spec.body));
  const bool training = spec.attrs.has("bn") && spec.attrs.integer("bn") == 1;
  TensorNames names;
  for (const Port& port : interface.inputs) {
    if (port.optional && !spec.bias && !spec.shapes.contains(port.name)) continue;
    names.inputs.push_back(port.name);
    names.input_dtypes[port.name] = run::storage_of(spec, interface, port);
    if (port.gradient) names.gradients.push_back("d" + port.name);
  }
  for (const Port& port : interface.outputs) {
    if (!port.training_only || training) names.outputs.push_back(port.name);
  }
  for (const Port& port : interface.saved) {
    if (!port.training_only || training) names.saved.push_back(port.name);
  }
  Port upstream;  // stored like the output whose gradient it is
  upstream.name = "d" + interface.first_output;
  names.upstream = upstream.name;
  const DType own = run::storage_of(spec, interface, interface.outputs.front());
  names.input_dtypes[names.upstream] =
      spec.tensor_dtypes.contains(names.upstream) ? run::storage_of(spec, upstream) : own;
  return names;
}

const std::string& main_input(const TensorNames& names) {
  const auto x = std::find(names.inputs.begin(), names.inputs.end(), "x");
  return x == names.inputs.end() ? names.inputs.front() : *x;
}

CaseInfo case_info(const CaseSpec& spec) {
  run::Context context = run::make_context(spec);
  return {std::move(context.own), std::move(context.attrs), std::move(context.shapes), std::move(context.dtypes)};
}

}  // namespace fusecheck
