#include "graph/vocabulary.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "fusecheck/registry.hpp"
#include "graph/cast.hpp"

namespace fusecheck::graph {
namespace {

std::vector<std::string> attribute_names(const OpDef& op) {
  std::vector<std::string> names;
  for (const AttrSpec& spec : op.attrs) names.push_back(spec.name);
  return names;
}

}  // namespace

const OpDef* find_primitive(const std::string& name, std::string& why) {
  for (const Cast& cast : all_casts()) {
    if (cast.op.name == name) return &cast.op;
  }
  for (const OpDef& op : all_ops()) {
    if (op.name != name && std::find(op.aliases.begin(), op.aliases.end(), name) == op.aliases.end()) continue;
    if (!op.fused()) return &op;
    why = base::quoted(name) + " is not a primitive, and bodies are made of those: write " + base::quoted(op.body);
    return nullptr;
  }
  std::vector<std::string> known;
  for (const Cast& cast : all_casts()) known.push_back(cast.op.name);
  for (const OpDef& op : all_ops()) {
    if (!op.fused()) known.push_back(op.name);
  }
  why = "unknown op " + base::quoted(name) + "." + base::suggestion(name, known) + " 'fusecheck list ops' shows all";
  return nullptr;
}

std::optional<DType> cast_of(const OpDef& op) {
  for (const Cast& cast : all_casts()) {
    if (&cast.op == &op) return cast.dtype;
  }
  return std::nullopt;
}

std::string wrong_count(const OpDef& op, std::size_t arguments) {
  std::size_t least = 0;
  std::vector<std::string> ports;
  for (const Port& port : op.inputs) {
    ports.push_back(port.name);
    if (!port.optional) least = ports.size();
  }
  if (arguments >= least && arguments <= ports.size()) return {};
  const std::string range = least == ports.size() ? "" : std::to_string(least) + " to ";
  return op.name + " takes " + range + std::to_string(ports.size()) +
         (ports.size() == 1 ? " argument (" : " arguments (") + base::join(ports, ", ") + "), got " +
         std::to_string(arguments);
}

std::string unknown_attribute(const OpDef& op, const std::string& name) {
  const std::vector<std::string> known = attribute_names(op);
  if (std::find(known.begin(), known.end(), name) != known.end()) return {};
  return op.name + " has no attribute " + base::quoted(name) +
         (known.empty() ? "" : "; it has " + base::join(known, ", ")) + base::hint(name, known);
}

std::vector<double> completed(const OpDef& op, const std::string& attribute, const std::vector<double>& values) {
  Attrs given;
  given.set(attribute, values);
  const auto spec =
      std::find_if(op.attrs.begin(), op.attrs.end(), [&](const AttrSpec& other) { return other.name == attribute; });
  return complete_attrs({*spec}, given, op.name).list(attribute);
}

}  // namespace fusecheck::graph
