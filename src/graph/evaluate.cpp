#include "graph/evaluate.hpp"

#include <optional>
#include <set>
#include <vector>

#include "fusecheck/error.hpp"

namespace fusecheck::graph {
namespace {

Io run_node(Kernel& kernel, const Node& node, const Attrs& attrs, const Values& supplied, const Values& edges) {
  Io io(kernel, attrs, Storing::later);
  for (std::size_t i = 0; i < node.arguments.size(); ++i) {
    const std::string& port = node.op->inputs[i].name;
    const auto edge = edges.find(node.arguments[i]);
    if (edge != edges.end()) io.bind(port, edge->second);
    if (const auto constant = literal(node.arguments[i])) io.bind(port, kernel.constant(*constant));
  }
  for (const auto& [port, name] : node.names) {
    const auto given = supplied.find(name);
    if (given != supplied.end()) io.supply(port, given->second);
  }
  node.op->forward(kernel, io);
  return io;
}

// The forward of a body: what its nodes give, and which edges it has so far.
class BodyRun {
 public:
  BodyRun(Forward& forward, const Request& request)
      : kernel_(*forward.kernel), nodes_(forward.body.nodes), supplied_(request.supplied), result_(forward.result) {
    for (const Node& node : nodes_) read_.insert(node.arguments.begin(), node.arguments.end());
    edges_ = request.inputs;
  }

  Io run(const Node& node, const Attrs& attrs) {
    Io io = run_node(kernel_, node, attrs, supplied_, edges_);
    const std::string& first = node.op->outputs.at(0).name;
    const bool last = &node == &nodes_.back();
    const Value edge = pass_on(node.result, io[first], last);
    io.bind(first, supplied_.contains(node.result) ? edge : kernel_.reread(edge, io[first]));
    const Value input = io.optional(node.op->inputs.at(0).name);
    if (last && !node.cast && nodes_.size() > 1 && input.shape == edge.shape) {
      result_.before_last_step[node.result] = input;
    }
    for (std::size_t i = 1; i < node.op->outputs.size(); ++i) {
      const std::string& port = node.op->outputs[i].name;
      if (!io.outputs().contains(port)) continue;
      const std::string& name = node.names.at(port);
      const bool read = read_.contains(name);
      const Value value = pass_on(name, io[port], !read);
      if (read) io.bind(port, value);
    }
    for (const auto& [port, value] : io.saved()) {
      const std::string& name = node.names.at(port);
      const Value kept = supplied_.contains(name) ? value : kernel_.store(name, value);
      result_.saved[name] = kept;
      io.bind(port, kept);
    }
    return io;
  }

 private:
  // An output is stored; an inner edge passes its rounding point.
  Value pass_on(const std::string& name, const Value& raw, bool output) {
    const auto given = supplied_.find(name);
    const Value edge = given != supplied_.end() ? given->second
                       : output                 ? kernel_.store(name, raw)
                                                : kernel_.round(name, raw);
    edges_[name] = edge;
    (output ? result_.outputs : result_.saved)[name] = edge;
    return edge;
  }

  Kernel& kernel_;
  const std::vector<Node>& nodes_;
  const Values& supplied_;
  Evaluation& result_;
  std::set<std::string, std::less<>> read_;
  Values edges_;
};

void forward_body(Forward& forward, const Request& request) {
  std::vector<Attrs> attrs;
  for (const Node& node : forward.body.nodes) attrs.push_back(attributes_of(node, *request.attrs));
  forward.attrs = std::make_shared<const std::vector<Attrs>>(std::move(attrs));
  BodyRun run(forward, request);
  for (std::size_t i = 0; i < forward.body.nodes.size(); ++i) {
    forward.calls.push_back(run.run(forward.body.nodes[i], (*forward.attrs)[i]));
  }
}

// Gradients of an edge that feeds several nodes add up: each of them, as each sum that another one follows, passes the
// rounding point of the edge's parts. Their sum is rounded by who reads it.
void add_gradient(Kernel& kernel, Values& gradients, const std::string& edge, const Value& gradient) {
  const auto part = [&](const Value& value) { return kernel.round("d" + edge + "_part", value); };
  const auto known = gradients.find(edge);
  if (known == gradients.end()) {
    gradients[edge] = gradient;
    return;
  }
  const Value so_far = part(known->second);
  known->second = kernel.add(so_far, part(gradient));
}

// `last`: its gradient is dy, which is in memory already.
void backward_node(Kernel& kernel, const Node& node, bool last, Io& io, Values& gradients) {
  const auto upstream = gradients.find(node.result);
  if (upstream == gradients.end()) internal_error("no gradient reaches '" + node.result + "'");
  io.bind("dy", last ? upstream->second : kernel.round("d" + node.result, upstream->second));
  for (std::size_t i = 0; i < node.further.size(); ++i) {
    const auto further = gradients.find(node.further[i]);
    if (further == gradients.end()) continue;
    io.bind("d" + node.op->outputs[i + 1].name, kernel.round("d" + node.further[i], further->second));
  }
  node.op->backward(kernel, io);
  for (std::size_t port = 0; port < node.arguments.size(); ++port) {
    const auto gradient = io.outputs().find("d" + node.op->inputs[port].name);
    const std::string& edge = node.arguments[port];
    if (gradient == io.outputs().end() || literal(edge)) continue;
    add_gradient(kernel, gradients, edge, gradient->second);
  }
}

void backward_body(Forward& forward, const Value& dy) {
  Kernel& kernel = *forward.kernel;
  const std::vector<Node>& nodes = forward.body.nodes;
  Values gradients;
  gradients[nodes.back().result] = dy;
  for (std::size_t i = nodes.size(); i-- > 0;) {
    backward_node(kernel, nodes[i], i + 1 == nodes.size(), forward.calls[i], gradients);
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
  Forward forward = {&kernel, recipe, request.inputs, {}, {}, {}, {}};
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
