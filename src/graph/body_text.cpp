#include <cctype>

#include "base/text.hpp"
#include "graph/body.hpp"

namespace fusecheck::graph {
namespace {

std::string setting_text(const std::vector<double>& values) {
  std::vector<std::string> numbers;
  for (const double value : values) numbers.push_back(base::number_text(value));
  return numbers.size() == 1 ? numbers[0] : "[" + base::join(numbers, ", ") + "]";
}

std::string call_text(const Node& node) {
  std::vector<std::string> parts = node.arguments;
  for (const AttrSpec& spec : node.op->attrs) {
    if (node.fixed.has(spec.name)) parts.push_back(spec.name + "=" + setting_text(node.fixed.list(spec.name)));
    const auto renamed = node.renamed.find(spec.name);
    if (renamed != node.renamed.end()) parts.push_back(spec.name + "=" + renamed->second);
  }
  return node.op->name + "(" + base::join(parts, ", ") + ")";
}

}  // namespace

std::string to_text(const Body& body) {
  std::vector<std::string> statements;
  for (const Node& node : body.nodes) {
    std::vector<std::string> results = {node.result};
    results.insert(results.end(), node.further.begin(), node.further.end());
    statements.push_back(base::join(results, ", ") + " = " + call_text(node));
  }
  return base::join(statements, "; ");
}

std::optional<double> literal(std::string_view argument) {
  if (argument.empty() || (std::isdigit(static_cast<unsigned char>(argument[0])) == 0 && argument[0] != '-')) {
    return std::nullopt;
  }
  return base::parse_number(argument, "constant");
}

}  // namespace fusecheck::graph
