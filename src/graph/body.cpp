#include "graph/body.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "fusecheck/error.hpp"
#include "fusecheck/registry.hpp"

namespace fusecheck::graph {
namespace {

// A cursor over the text; every refusal names the column.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  bool at_end() {
    skip_space();
    return position_ == text_.size();
  }
  bool take(char c) {
    skip_space();
    if (position_ < text_.size() && text_[position_] == c) {
      ++position_;
      return true;
    }
    return false;
  }
  void expect(char c) {
    if (!take(c)) refuse(std::string("expected '") + c + "'");
  }
  std::string name() {
    skip_space();
    const std::size_t start = position_;
    while (position_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[position_])) != 0 || text_[position_] == '_')) {
      ++position_;
    }
    if (start == position_) refuse("expected a name");
    return std::string(text_.substr(start, position_ - start));
  }
  [[noreturn]] void refuse(const std::string& what) const {
    usage_error("body, column " + std::to_string(position_ + 1) + ": " + what + " in '" + std::string(text_) + "'");
  }

 private:
  void skip_space() {
    while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_])) != 0) ++position_;
  }
  std::string_view text_;
  std::size_t position_ = 0;
};

Node parse_node(Reader& reader) {
  Node node;
  node.result = reader.name();
  reader.expect('=');
  const std::string name = reader.name();
  node.op = &find_op(name);
  if (node.op->fused()) reader.refuse("'" + name + "' is not a primitive");
  reader.expect('(');
  do node.arguments.push_back(reader.name());
  while (reader.take(','));
  reader.expect(')');
  if (node.arguments.size() > node.op->inputs.size()) {
    reader.refuse(name + " takes at most " + std::to_string(node.op->inputs.size()) + " arguments");
  }
  return node;
}

void add_port(std::vector<Port>& ports, Port port, const std::string& name) {
  port.name = name;
  for (const Port& known : ports) {
    if (known.name == name) return;
  }
  ports.push_back(std::move(port));
}

}  // namespace

Body parse_body(std::string_view text) {
  Reader reader(text);
  Body body;
  do {
    if (reader.at_end()) break;
    body.nodes.push_back(parse_node(reader));
  } while (reader.take(';'));
  if (!reader.at_end()) reader.refuse("expected ';'");
  if (body.nodes.empty()) reader.refuse("no line");
  return body;
}

Body body_of(const OpDef& op) {
  if (op.fused()) return parse_body(op.body);
  Node node;
  node.op = &op;
  for (const Port& port : op.inputs) node.arguments.push_back(port.name);
  node.result = op.outputs.at(0).name;
  return {{node}};
}

Interface interface_of(const OpDef& op) {
  const Body body = body_of(op);
  Interface result;
  std::set<std::string> edges;
  for (const Node& node : body.nodes) {
    for (std::size_t i = 0; i < node.arguments.size(); ++i) {
      if (!edges.contains(node.arguments[i])) add_port(result.inputs, node.op->inputs[i], node.arguments[i]);
    }
    edges.insert(node.result);
    for (const AttrSpec& attr : node.op->attrs) {
      const bool known = std::any_of(result.attrs.begin(), result.attrs.end(),
                                     [&](const AttrSpec& other) { return other.name == attr.name; });
      if (!known) result.attrs.push_back(attr);
    }
  }
  const Node& last = body.nodes.back();
  result.first_output = last.result;
  add_port(result.outputs, last.op->outputs.at(0), last.result);
  for (const Node& node : body.nodes) {
    for (std::size_t i = 1; i < node.op->outputs.size(); ++i) {
      add_port(result.outputs, node.op->outputs[i], node.op->outputs[i].name);
    }
    for (const Port& port : node.op->saved) add_port(result.saved, port, port.name);
    if (&node != &last) add_port(result.saved, node.op->outputs.at(0), node.result);
  }
  return result;
}

Shapes complete_shapes(const OpDef& op, Shapes given, const Attrs& attrs, const std::vector<std::string>& absent) {
  const Body body = body_of(op);
  for (const Node& node : body.nodes) {
    Shapes local;
    for (std::size_t i = 0; i < node.arguments.size(); ++i) {
      const auto known = given.find(node.arguments[i]);
      if (known != given.end()) local[node.op->inputs[i].name] = known->second;
      const bool left_out = std::find(absent.begin(), absent.end(), node.arguments[i]) != absent.end();
      if (node.op->inputs[i].optional && left_out) local[node.op->inputs[i].name + "?"] = {};
    }
    node.op->infer(local, attrs);
    for (std::size_t i = 0; i < node.arguments.size(); ++i) {
      const auto worked_out = local.find(node.op->inputs[i].name);
      if (worked_out != local.end()) given[node.arguments[i]] = worked_out->second;
    }
    for (std::size_t i = 0; i < node.op->outputs.size(); ++i) {
      const auto shape = local.find(node.op->outputs[i].name);
      if (shape != local.end()) given[i == 0 ? node.result : shape->first] = shape->second;
    }
    for (const Port& port : node.op->saved) {
      const auto shape = local.find(port.name);
      if (shape != local.end()) given[port.name] = shape->second;
    }
  }
  return given;
}

}  // namespace fusecheck::graph
