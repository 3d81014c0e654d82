#include "graph/evaluate.hpp"

#include <optional>
#include <vector>

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

void forward_body(Forward& forward, const Request& request) {
  Kernel& kernel = *forward.kernel;
  Evaluation& result = forward.result;
  Values edges = request.inputs;
  for (const Node& node : forward.body.nodes) {
    Io io = forward_node(kernel, node, request, edges);
    const bool last = &node == &forward.body.nodes.back();
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
      if (input.shape == edge.shape && forward.body.nodes.size() > 1) result.before_last_step[node.result] = input;
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
    forward.calls.push_back(std::move(io));
  }
}

void backward_body(Forward& forward, const Value& dy) {
  Kernel& kernel = *forward.kernel;
  const std::vector<Node>& nodes = forward.body.nodes;
  Values gradients;
  gradients[nodes.back().result] = dy;
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const Node& node = nodes[i];
    Io& io = forward.calls[i];
    io.bind("dy", gradients.at(node.result));
    node.op->backward(kernel, io);
    for (std::size_t port = 0; port < node.arguments.size(); ++port) {
      const auto gradient = io.outputs().find("d" + node.op->inputs[port].name);
      if (gradient == io.outputs().end()) continue;
      const std::string& edge = node.arguments[port];
      add_gradient(kernel, gradients, edge, gradient->second, !forward.inputs.contains(edge));
    }
  }
  for (const auto& [name, gradient] : gradients) {
    if (forward.inputs.contains(name)) forward.result.outputs["d" + name] = kernel.store("d" + name, gradient);
  }
}

void collect(Forward& forward) {
  forward.result.outputs = forward.calls.front().outputs();
  forward.result.saved = forward.calls.front().saved();
}

}  // namespace

Forward run_forward(Kernel& kernel, const Recipe* recipe, const Request& request) {
  Forward forward = {&kernel, recipe, request.inputs, {}, {}, {}};
  if (recipe == nullptr) {
    forward.body = body_of(*request.op);
    forward_body(forward, request);
    return forward;
  }
  Io& io = forward.calls.emplace_back(kernel, *request.attrs, Storing::now);
  for (const auto& [name, value] : request.inputs) io.bind(name, value);
  for (const auto& [name, value] : request.supplied) io.supply(name, value);
  recipe->forward(kernel, io);
  collect(forward);
  return forward;
}

Evaluation run_backward(Forward forward, const Value& dy) {
  if (forward.recipe == nullptr) {
    backward_body(forward, dy);
  } else {
    Io& io = forward.calls.front();
    io.bind("dy", dy);
    forward.recipe->backward(*forward.kernel, io);
    collect(forward);
  }
  return std::move(forward.result);
}

Evaluation run(Kernel& kernel, const Recipe* recipe, const Request& request) {
  Forward forward = run_forward(kernel, recipe, request);
  if (!request.backward) return std::move(forward.result);
  const Value dy = request.inputs.find("dy")->second;
  return run_backward(std::move(forward), dy);
}

}  // namespace fusecheck::graph
