#include "exchange/onnx_model.hpp"

#include <algorithm>
#include <optional>

#include "exchange/onnx_call.hpp"
#include "fusecheck/error.hpp"
#include "graph/own_op.hpp"

namespace fusecheck::exchange {
namespace {

using Types = std::map<std::string, DType>;

struct Builder {
  const OnnxSource& source;
  DType edges;  // what an edge holds that neither the body nor the case gives a type
  OnnxModel model = {};
  Types types = {};  // of every value that a later call may read

  DType type_of_result(const graph::Node& node, const std::string& name) const {
    const bool is_output = std::find(source.outputs.begin(), source.outputs.end(), name) != source.outputs.end();
    return is_output ? source.dtypes.at(name) : node.cast.value_or(edges);
  }
};

DType type_of_operand(Builder& builder, const std::string& name) {
  const auto known = builder.types.find(name);
  if (known != builder.types.end()) return known->second;
  const std::optional<double> number = graph::literal(name);
  if (!number) internal_error("onnx: nothing gives '" + name + "'");
  builder.model.constants.emplace_back(name, Tensor::from(DType::f32, {}, std::span(&*number, 1)));
  return builder.types[name] = DType::f32;
}

std::string cast(OnnxModel& model, const std::string& from, const std::string& to, DType dtype) {
  model.nodes.push_back({"Cast", {from}, {to}, {{"to", onnx_type(dtype)}}});
  return to;
}

const OnnxForm& form_of(const graph::Node& node) {
  const OnnxForm* form = onnx_form(node.op->name);
  if (form != nullptr) return *form;
  usage_error("--format onnx: " + node.op->name + " has no form in ONNX opset " + std::to_string(onnx_opset) +
              " that fusecheck knows; export as npy");
}

// What a call reads: the indices of its ports that are there.
std::vector<std::size_t> present_ports(Builder& builder, const graph::Node& node) {
  std::vector<std::size_t> present;
  for (std::size_t i = 0; i < node.arguments.size(); ++i) {
    const std::string& name = node.arguments[i];
    if (node.op->inputs[i].optional && !builder.types.contains(name) && !graph::literal(name)) continue;
    type_of_operand(builder, name);
    present.push_back(i);
  }
  return present;
}

struct Running {
  DType type = DType::f32;    // in which the operator runs
  bool vectors_stay = false;  // BatchNormalization: its vectors stay in FLOAT beside an x in FLOAT16
  bool native = true;         // no cast is needed
};

Running running(const OnnxForm& form, const graph::Node& node, const Builder& builder,
                const std::vector<std::size_t>& present) {
  std::vector<DType> floating;
  for (const std::size_t i : present) {
    const DType has = builder.types.at(node.arguments[i]);
    if (is_floating(has)) floating.push_back(has);
  }
  const DType result = builder.type_of_result(node, node.result);
  Running run;
  if (form.types == OnnxTypes::statistics && graph::attributes_of(node, builder.source.attrs).integer("bn") == 0) {
    run.vectors_stay = std::count(floating.begin() + 1, floating.end(), DType::f32) + 1 == std::ssize(floating);
    if (run.vectors_stay) floating.resize(1);
  }
  const bool alike = std::all_of(floating.begin(), floating.end(), [&](DType one) { return one == floating.front(); });
  const bool takes_half = form.types == OnnxTypes::native || run.vectors_stay;
  const bool moves = form.types == OnnxTypes::any && alike && !floating.empty();
  if (moves) run.type = floating.front();
  if (takes_half && alike && !floating.empty() && floating.front() == DType::f16 && result == DType::f16) {
    run.type = DType::f16;
  }
  run.native = run.type == result && alike && (floating.empty() || floating.front() == run.type);
  return run;
}

Shapes shapes_by_port(const graph::Node& node, const Shapes& all) {
  Shapes shapes;
  for (std::size_t i = 0; i < node.arguments.size(); ++i) {
    const auto found = all.find(node.arguments[i]);
    if (found != all.end()) shapes[node.op->inputs[i].name] = found->second;
    if (graph::literal(node.arguments[i])) shapes[node.op->inputs[i].name] = {};
  }
  shapes[node.op->outputs[0].name] = all.at(node.result);
  return shapes;
}

// Gives what a call formed its name in the body: by a cast, or by renaming the output of the node that gave it.
void name_result(Builder& builder, const std::string& value, DType from, const std::string& name, DType to) {
  builder.types[name] = to;
  if (from != to) {
    cast(builder.model, value, name, to);
    return;
  }
  for (OnnxNode& node : builder.model.nodes) {
    std::replace(node.inputs.begin(), node.inputs.end(), value, name);
    std::replace(node.outputs.begin(), node.outputs.end(), value, name);
  }
}

// An operand in the type in which the operator runs; an edge in front of a contraction rounded to the case's type
// first.
std::string operand(Builder& builder, const graph::Node& node, std::size_t i, const OnnxForm& form, DType type) {
  std::string name = node.arguments[i];
  DType has = builder.types.at(name);
  const std::string stem = node.result + "/" + node.op->inputs[i].name;
  const bool data = node.op->inputs[i].role == Role::data && !graph::is_own(builder.source.op);
  const auto& inputs = builder.source.inputs;
  const bool edge = std::find(inputs.begin(), inputs.end(), name) == inputs.end();
  if (form.contraction && data && edge && has == DType::f32 && builder.source.dtype != DType::f32) {
    has = builder.source.dtype;
    name = cast(builder.model, name, stem + "_rounded", has);
  }
  return has == type ? name : cast(builder.model, name, stem, type);
}

void add_call(Builder& builder, const graph::Node& node) {
  if (node.cast) {
    type_of_operand(builder, node.arguments[0]);
    cast(builder.model, node.arguments[0], node.result, *node.cast);
    builder.types[node.result] = *node.cast;
    return;
  }
  const OnnxForm& form = form_of(node);
  const std::vector<std::size_t> present = present_ports(builder, node);
  const Running run = running(form, node, builder, present);
  std::map<std::string, std::string> operands;
  for (const std::size_t i : present) {
    const bool stays = !is_floating(builder.types.at(node.arguments[i])) || (run.vectors_stay && i > 0);
    operands[node.op->inputs[i].name] = stays ? node.arguments[i] : operand(builder, node, i, form, run.type);
  }
  OnnxCall call(builder.model, node.result, run.type, graph::attributes_of(node, builder.source.attrs),
                std::move(operands), shapes_by_port(node, builder.source.shapes));
  const std::string value = form.emit(call);
  name_result(builder, value, call.gives(), node.result, builder.type_of_result(node, node.result));
  for (const auto& [port, further] : call.further()) {
    const auto name = node.names.find(port);
    if (name == node.names.end()) continue;
    name_result(builder, further, run.type, name->second, builder.type_of_result(node, name->second));
  }
}

Builder started(const OnnxSource& source, DType edges) {
  Builder builder{source, edges};
  for (const std::string& name : source.inputs) {
    const DType dtype = source.dtypes.at(name);
    builder.types[name] = dtype;
    builder.model.inputs.push_back({name, dtype, source.shapes.at(name)});
  }
  return builder;
}

// Whether the model can run in the case's type throughout.
bool all_native(const OnnxSource& source, const graph::Body& body) {
  Builder builder = started(source, source.dtype);
  for (const graph::Node& node : body.nodes) {
    if (node.cast) return false;
    const std::vector<std::size_t> present = present_ports(builder, node);
    if (!running(form_of(node), node, builder, present).native) return false;
    builder.types[node.result] = builder.type_of_result(node, node.result);
  }
  return true;
}

}  // namespace

OnnxModel onnx_model(const OnnxSource& source) {
  const graph::Body body = graph::body_of(source.op);
  const bool native = !graph::is_own(source.op) && all_native(source, body);
  Builder builder = started(source, native ? source.dtype : DType::f32);
  builder.model.name = source.op.name;
  for (const graph::Node& node : body.nodes) add_call(builder, node);
  for (const std::string& name : source.outputs) {
    builder.model.outputs.push_back({name, source.dtypes.at(name), source.shapes.at(name)});
  }
  return std::move(builder.model);
}

}  // namespace fusecheck::exchange
