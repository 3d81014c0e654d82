#include "graph/evaluate.hpp"

#include <optional>
#include <vector>

#include "graph/body.hpp"

namespace fusecheck::graph {
namespace {

// One node's forward: its Io stays alive, since the backward reads what it saved.
Io forward_node(Kernel& kernel, const Node& node, const Request& request, const Values& edges) {
  Io io(kernel, *request.attrs, Storing::later);
  for (std::size_t i = 0; i < node.arguments.size(); ++i) {
    const auto edge = edges.find(node.arguments[i]);
    if (edge != edges.end()) io.bind(node.op->inputs[i].name, edge->second);
  }
  for (const auto& [name, value] : request.supplied) io.supply(name, value);
  node.op->forward(kernel, io);
  return io;
}

// Gradients of an edge that feeds several nodes add up. An inner edge's pass its rounding point: each, and their sum.
void add_gradient(Kernel& kernel, Values& gradients, const std::string& edge, const Value& gradient, bool inner) {
  const auto rounded = [&](const Value& value) { return inner ? kernel.round("d" + edge, value) : value; };
  const auto known = gradients.find(edge);
  gradients[edge] =
      known == gradients.end() ? rounded(gradient) : rounded(kernel.add(known->second, rounded(gradient)));
}

}  // namespace

Evaluation run_body(Kernel& kernel, const Request& request) {
  const Body body = body_of(*request.op);
  Evaluation result;
  Values edges = request.inputs;
  std::vector<Io> calls;
  for (const Node& node : body.nodes) {
    Io io = forward_node(kernel, node, request, edges);
    const bool last = &node == &body.nodes.back();
    const Port& first = node.op->outputs.at(0);
    const Value raw = io[first.name];
    const auto given = request.supplied.find(node.result);
    const Value edge = given != request.supplied.end() ? given->second
                       : last                          ? kernel.store(node.result, raw)
                                                       : kernel.round(node.result, raw);
    edges[node.result] = edge;
    io.bind(first.name, edge);
    if (last) {
      result.outputs[node.result] = edge;
      const Value& input = io[node.op->inputs.at(0).name];
      if (input.shape == edge.shape && body.nodes.size() > 1) result.before_last_step[node.result] = input;
    } else {
      result.saved[node.result] = edge;
    }
    for (std::size_t i = 1; i < node.op->outputs.size(); ++i) {
      const std::string& name = node.op->outputs[i].name;
      if (io.outputs().contains(name)) result.outputs[name] = kernel.store(name, io[name]);
    }
    for (const auto& [name, value] : io.saved()) {
      const Value kept = request.supplied.contains(name) ? value : kernel.store(name, value);
      result.saved[name] = kept;
      io.bind(name, kept);
    }
    calls.push_back(std::move(io));
  }
  if (!request.backward) return result;

  Values gradients;
  gradients[body.nodes.back().result] = request.inputs.find("dy")->second;
  for (std::size_t i = body.nodes.size(); i-- > 0;) {
    const Node& node = body.nodes[i];
    Io& io = calls[i];
    io.bind("dy", gradients.at(node.result));
    node.op->backward(kernel, io);
    for (std::size_t port = 0; port < node.arguments.size(); ++port) {
      const auto gradient = io.outputs().find("d" + node.op->inputs[port].name);
      if (gradient == io.outputs().end()) continue;
      const std::string& edge = node.arguments[port];
      add_gradient(kernel, gradients, edge, gradient->second, !request.inputs.contains(edge));
    }
  }
  for (const auto& [name, gradient] : gradients) {
    if (request.inputs.contains(name)) result.outputs["d" + name] = kernel.store("d" + name, gradient);
  }
  return result;
}

Evaluation run_recipe(Kernel& kernel, const Recipe& recipe, const Request& request) {
  Io io(kernel, *request.attrs, Storing::now);
  for (const auto& [name, value] : request.inputs) io.bind(name, value);
  for (const auto& [name, value] : request.supplied) io.supply(name, value);
  recipe.forward(kernel, io);
  if (request.backward) recipe.backward(kernel, io);
  Evaluation result;
  result.outputs = io.outputs();
  result.saved = io.saved();
  return result;
}

}  // namespace fusecheck::graph
