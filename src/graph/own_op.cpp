#include "graph/own_op.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/registry.hpp"

namespace fusecheck::graph {
namespace {

std::string without_plus(std::string number) {
  std::erase(number, '+');  // 1e+10 is 1e10
  return number;
}

std::string setting_word(const std::vector<double>& values) {
  std::vector<std::string> numbers;
  for (const double value : values) numbers.push_back(without_plus(base::number_text(value)));
  return base::join(numbers, "x");
}

// "1x1" to "[1, 1]"; a name or one number stays.
std::string setting_of(const std::string& word) {
  if (!literal(word.substr(0, word.find('x')))) return word;
  const std::vector<std::string> numbers = base::split(word, 'x');
  return numbers.size() == 1 ? word : "[" + base::join(numbers, ", ") + "]";
}

std::string statement_of(const std::string& word) {
  const std::size_t sign = word.find('=');
  if (sign == std::string::npos) usage_error("body:" + word + " is not NAME=OP:ARGUMENT:...");
  std::vector<std::string> parts = base::split(word.substr(sign + 1), ':');
  std::vector<std::string> arguments;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    const bool attribute = equals != std::string::npos && equals + 1 < parts[i].size();
    arguments.push_back(attribute ? parts[i].substr(0, equals + 1) + setting_of(parts[i].substr(equals + 1))
                                  : parts[i]);
  }
  return word.substr(0, sign) + " = " + parts[0] + "(" + base::join(arguments, ", ") + ")";
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) no_verdict_error("--body " + base::quoted_path(path) + ": no such file, or it cannot be read");
  std::string text(most_text + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

// A body sets something; a text without "=" is one only by mistake, and a path where it looks like one.
bool names_file(const std::string& text) {
  if (text.find_first_of("=;\n{") != std::string::npos) return false;
  std::error_code error;
  return text.find('/') != std::string::npos || text.ends_with(".txt") || text.ends_with(".body") ||
         text.ends_with(".json") || std::filesystem::is_regular_file(text, error);
}

// How often the body reads a value.
std::ptrdiff_t reads(const Body& body, const std::string& name) {
  std::ptrdiff_t count = 0;
  for (const Node& node : body.nodes) count += std::count(node.arguments.begin(), node.arguments.end(), name);
  return count;
}

// Whether the value goes, as it is or rounded, into a batch_norm's x and nowhere else.
bool is_normalised(const Body& body, std::string name) {
  for (const Node& node : body.nodes) {
    if (node.arguments.empty() || node.arguments.front() != name) continue;
    if (reads(body, name) != 1) return false;
    if (node.op->name == "batch_norm") return true;
    if (!node.cast) return false;
    name = node.result;
  }
  return false;
}

// Training subtracts the mean, and any bias of a convolution with it (J11).
std::vector<Structural> cancelled_biases(const Body& body) {
  std::vector<Structural> outputs;
  for (const Node& node : body.nodes) {
    for (std::size_t i = 0; i < node.arguments.size(); ++i) {
      const bool bias = node.op->inputs[i].name == "b" && node.op->inputs[i].role == Role::parameter;
      if (!bias || reads(body, node.arguments[i]) != 1 || !is_normalised(body, node.result)) continue;
      const char* reason = "zero in exact arithmetic: training BN subtracts the mean, and any bias with it";
      outputs.push_back({"d" + node.arguments[i], reason, true});
    }
  }
  return outputs;
}

}  // namespace

std::shared_ptr<const OpDef> op_of(std::string_view name, std::string_view body) {
  if (body.empty()) return {std::shared_ptr<const OpDef>(), &find_op(name)};  // the registry's own
  OpDef op;
  op.name = own_op_name;
  op.formula = body;
  op.body = body;
  op.structural = cancelled_biases(parse_body(body));
  return std::make_shared<const OpDef>(std::move(op));
}

bool is_own(const OpDef& op) { return op.fused() && op.name == own_op_name; }

std::string encoded(std::string_view canonical) {
  std::vector<std::string> statements;
  for (const Node& node : parse_body(canonical).nodes) {
    std::string word = node.result;
    for (const std::string& name : node.further) word += "," + name;
    word += "=" + node.op->name;
    for (const std::string& argument : node.arguments) word += ":" + without_plus(argument);
    for (const auto& [attribute, values] : node.fixed.all()) word += ":" + attribute + "=" + setting_word(values);
    for (const auto& [attribute, name] : node.renamed) word += ":" + attribute + "=" + name;
    statements.push_back(std::move(word));
  }
  return base::join(statements, "+");
}

std::string decoded(std::string_view word) {
  std::vector<std::string> statements;
  for (const std::string& part : base::split(word, '+')) statements.push_back(statement_of(part));
  return base::join(statements, "; ");
}

std::string read_own_body(const std::string& text_or_file) {
  const std::string text = names_file(text_or_file) ? read_text(text_or_file) : text_or_file;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string::npos && text[first] == '{';
  return to_text(parse_body(json ? chain_body(text) : text));
}

}  // namespace fusecheck::graph
