#include <algorithm>
#include <stdexcept>

#include "fusecheck/error.hpp"
#include "graph/body.hpp"

namespace fusecheck::graph {
namespace {

// The shapes that one node sees, by its ports; "b?" marks an optional port that is left out.
Shapes local_shapes(const Node& node, const Shapes& given, const std::vector<std::string>& absent) {
  Shapes local;
  bool any = false;
  for (std::size_t i = 0; i < node.op->inputs.size(); ++i) {
    const Port& port = node.op->inputs[i];
    const bool named = i < node.arguments.size();
    const auto known = named ? given.find(node.arguments[i]) : given.end();
    if (known != given.end()) local[port.name] = known->second;
    any = any || known != given.end();
    if (named && literal(node.arguments[i])) local[port.name] = {};
    const bool left_out = !named || std::find(absent.begin(), absent.end(), node.arguments[i]) != absent.end();
    if (port.optional && left_out) local[port.name + "?"] = {};
  }
  if (!any) {
    usage_error("the shape of '" + node.arguments[0] + "' does not follow from those given: add --shape " +
                node.arguments[0] + "=DIMS");
  }
  return local;
}

void infer(const Node& node, Shapes& local, const Attrs& attrs) {
  try {
    node.op->infer(local, attributes_of(node, attrs));
  } catch (const std::out_of_range&) {  // an input that the primitive cannot work out
    for (std::size_t i = 0; i < node.arguments.size(); ++i) {
      const Port& port = node.op->inputs[i];
      if (local.contains(port.name) || local.contains(port.name + "?")) continue;
      usage_error("the shape of '" + node.arguments[i] + "' does not follow from those given: add --shape " +
                  node.arguments[i] + "=DIMS");
    }
    usage_error(node.op->name + ": an input has too few dimensions");
  }
}

}  // namespace

Shapes complete_shapes(const OpDef& op, Shapes given, const Attrs& attrs, const std::vector<std::string>& absent) {
  const Body body = body_of(op);
  for (const Node& node : body.nodes) {
    Shapes local = local_shapes(node, given, absent);
    infer(node, local, attrs);
    for (std::size_t i = 0; i < node.arguments.size(); ++i) {
      const auto worked_out = local.find(node.op->inputs[i].name);
      if (worked_out != local.end() && !literal(node.arguments[i])) given[node.arguments[i]] = worked_out->second;
      const auto limit = local.find(node.op->inputs[i].name + "<");
      if (limit != local.end()) given[node.arguments[i] + "<"] = limit->second;
    }
    const auto first = local.find(node.op->outputs.at(0).name);
    if (first == local.end()) internal_error(node.op->name + " infers no shape of its output");
    given[node.result] = first->second;
    for (const auto& [port, name] : node.names) {
      const auto shape = local.find(port);
      if (shape != local.end()) given[name] = shape->second;
    }
  }
  return given;
}

}  // namespace fusecheck::graph
