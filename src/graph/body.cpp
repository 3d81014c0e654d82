#include "graph/body.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/registry.hpp"
#include "graph/naming.hpp"
#include "graph/own_op.hpp"

namespace fusecheck::graph {
namespace {

Port named(Port port, const std::string& name) {
  port.name = name;
  return port;
}

// A free name is one input, whatever number of calls reads it: drawn and stored as the first one says, left out only
// where all can do without, and without a gradient where one has none to give.
void add_input(std::vector<Port>& inputs, const Port& port, const std::string& name) {
  const auto known = std::find_if(inputs.begin(), inputs.end(), [&](const Port& other) { return other.name == name; });
  if (known == inputs.end()) {
    inputs.push_back(named(port, name));
    return;
  }
  known->optional = known->optional && port.optional;
  known->gradient = known->gradient && port.gradient;
}

// A fused op may draw an input in a way of its own, and say more of it than the primitive can.
void take_draws(std::vector<Port>& inputs, const OpDef& op) {
  if (!op.fused()) return;
  for (const Port& own : op.inputs) {
    const auto port = std::find_if(inputs.begin(), inputs.end(), [&](const Port& one) { return one.name == own.name; });
    if (port == inputs.end()) internal_error(op.name + " draws " + own.name + ", which its body does not read");
    port->draw = own.draw;
    port->doc = own.doc;
  }
}

bool same_meaning(const AttrSpec& a, const AttrSpec& b) {
  return a.fallback == b.fallback && a.low == b.low && a.high == b.high && a.whole == b.whole && a.counts == b.counts;
}

void add_attribute(std::vector<AttrSpec>& attrs, const Node& node, AttrSpec spec) {
  const std::string own = spec.name;
  spec.name = attribute_name(node, own);
  if (spec.name.empty()) return;
  const auto known =
      std::find_if(attrs.begin(), attrs.end(), [&](const AttrSpec& other) { return other.name == spec.name; });
  if (known == attrs.end()) {
    attrs.push_back(std::move(spec));
  } else if (!same_meaning(*known, spec)) {
    usage_error("body: attribute '" + spec.name + "' of " + node.op->name + " (" + node.result +
                ") has another range or default than that of an earlier call; rename one, as in " + own + "=" + own +
                "2, or fix it, as in " + own + "=1");
  }
}

// Edges that some later call reads.
std::set<std::string> read_edges(const Body& body) {
  std::set<std::string> names;
  for (const Node& node : body.nodes) names.insert(node.arguments.begin(), node.arguments.end());
  return names;
}

Body parsed(const OpDef& op) {
  if (op.fused()) return parse_body(op.body);
  Node node;
  node.op = &op;
  for (const Port& port : op.inputs) node.arguments.push_back(port.name);
  node.result = op.outputs.at(0).name;
  Body body{{node}};
  name_ports(body);
  return body;
}

// Of all_ops(), in their order: a check asks for its body some fifty times.
const std::vector<Body>& registered_bodies() {
  static const std::vector<Body> bodies = [] {
    std::vector<Body> all;
    for (const OpDef& op : all_ops()) all.push_back(parsed(op));
    return all;
  }();
  return bodies;
}

}  // namespace

Body body_of(const OpDef& op) {
  const std::vector<Body>& known = registered_bodies();
  const std::span<const OpDef> ops = all_ops();
  const auto place = std::find_if(ops.begin(), ops.end(), [&](const OpDef& other) { return &other == &op; });
  return place == ops.end() ? parsed(op) : known[static_cast<std::size_t>(place - ops.begin())];
}

Reading reading_of(const Body& body, std::string_view name) {
  Reading found{nullptr, 0};
  for (const Node& node : body.nodes) {
    const auto argument = std::find(node.arguments.begin(), node.arguments.end(), name);
    if (argument == node.arguments.end()) continue;
    const auto port = static_cast<std::size_t>(argument - node.arguments.begin());
    const Role role = node.op->inputs[port].role;
    // A cast makes data: what is a mask or an index by its reader is none in front of the cast.
    if (found.node != nullptr && role != Role::data && role != Role::parameter) break;
    found = {&node, port};
    if (!node.cast) break;
    name = node.result;  // statements run in order: its readers come later
  }
  return found;
}

std::string attribute_name(const Node& node, const std::string& attribute) {
  if (node.fixed.has(attribute)) return {};
  const auto renamed = node.renamed.find(attribute);
  return renamed == node.renamed.end() ? attribute : renamed->second;
}

Attrs attributes_of(const Node& node, const Attrs& op) {
  Attrs own = node.fixed;
  for (const AttrSpec& spec : node.op->attrs) {
    const std::string name = attribute_name(node, spec.name);
    if (!name.empty()) own.set(spec.name, op.list(name));
  }
  return own;
}

Interface interface_of(const OpDef& op) {
  const Body body = body_of(op);
  const std::set<std::string> read = read_edges(body);
  Interface result;
  std::set<std::string> edges;
  for (const Node& node : body.nodes) {
    for (std::size_t i = 0; i < node.arguments.size(); ++i) {
      const std::string& name = node.arguments[i];
      if (edges.contains(name) || literal(name)) continue;
      Port port = node.op->inputs[i];
      if (node.cast) {
        const Reading meant = reading_of(body, name);
        const Port& by_reader = meant.node->op->inputs[meant.port];
        port.role = by_reader.role;
        port.draw = by_reader.draw;
      }
      add_input(result.inputs, port, name);
    }
    edges.insert(node.result);
    edges.insert(node.further.begin(), node.further.end());
    for (const AttrSpec& attr : node.op->attrs) add_attribute(result.attrs, node, attr);
    if (node.cast) result.casts[node.result] = *node.cast;
  }
  take_draws(result.inputs, op);
  if (is_own(op)) {
    for (Port& port : result.inputs) port.optional = false;
  }
  const Node& last = body.nodes.back();
  result.first_output = last.result;
  result.outputs.push_back(named(last.op->outputs.at(0), last.result));
  for (const Node& node : body.nodes) {
    for (std::size_t i = 1; i < node.op->outputs.size(); ++i) {
      const Port& port = node.op->outputs[i];
      const std::string& name = node.names.at(port.name);
      (read.contains(name) ? result.saved : result.outputs).push_back(named(port, name));
    }
    for (const Port& port : node.op->saved) result.saved.push_back(named(port, node.names.at(port.name)));
    if (&node != &last) result.saved.push_back(named(node.op->outputs.at(0), node.result));
  }
  return result;
}

}  // namespace fusecheck::graph
