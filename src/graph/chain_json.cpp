// Fusion rules as CANN-like configurations write them: a chain of op types, flat or nested by "next".
#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/registry.hpp"
#include "graph/own_op.hpp"

namespace fusecheck::graph {
namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse_chain(const std::string& what) { usage_error("body, JSON chain: " + what); }

// "BatchNorm", "batch_norm" and "BATCHNORM" are one name.
std::string plain(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return letters;
}

const OpDef& primitive_of(const std::string& type) {
  // What the types of graphs are called where the primitive has another name.
  static const std::vector<std::pair<std::string, std::string>> others = {{"conv", "conv2d"}, {"biasadd", "bias"}};
  std::string wanted = plain(type);
  for (const auto& [other, name] : others) {
    if (wanted == other) wanted = name;
  }
  std::vector<std::string> known;
  for (const OpDef& op : all_ops()) {
    if (op.fused()) continue;
    if (plain(op.name) == wanted) return op;
    known.push_back(op.name);
  }
  refuse_chain("there is no primitive for op_type " + base::quoted(type) + base::hint(type, known));
}

void add_links(const Json& link, std::vector<const OpDef*>& chain) {
  const Json* at = &link;
  while (true) {
    if (chain.size() >= 1000) refuse_chain("more than 1000 ops");
    if (!at->is_object()) refuse_chain("a link is an object with \"op_type\"");
    const auto type = at->find("op_type");
    if (type == at->end() || !type->is_string()) refuse_chain("a link has no \"op_type\"");
    chain.push_back(&primitive_of(type->get<std::string>()));
    const auto next = at->find("next");
    if (next == at->end()) return;
    at = &*next;
  }
}

class Text {
 public:
  // A port's name, numbered where it is taken.
  std::string fresh(const std::string& name) {
    std::string free = name;
    for (int i = 2; !taken_.insert(free).second; ++i) free = name + std::to_string(i);
    return free;
  }

 private:
  std::set<std::string> taken_ = {"x", "y", "dx", "dy"};
};

}  // namespace

std::string chain_body(std::string_view json) {
  const Json rule = Json::parse(json, nullptr, false);
  if (rule.is_discarded()) refuse_chain("this is not JSON");
  const auto pattern = rule.find("pattern");
  if (pattern == rule.end()) refuse_chain("there is no \"pattern\"");
  std::vector<const OpDef*> chain;
  if (pattern->is_array()) {
    for (const Json& link : *pattern) add_links(link, chain);
  } else {
    add_links(*pattern, chain);
  }
  if (chain.empty()) refuse_chain("the pattern is empty");

  Text names;
  std::vector<std::string> statements;
  std::string value = "x";
  for (const OpDef* op : chain) {
    std::vector<std::string> arguments = {value};
    for (std::size_t i = 1; i < op->inputs.size(); ++i) {
      if (!op->inputs[i].optional) arguments.push_back(names.fresh(op->inputs[i].name));
    }
    value = op == chain.back() && statements.size() + 1 == chain.size() ? "y" : names.fresh(op->name);
    statements.push_back(value + " = " + op->name + "(" + base::join(arguments, ", ") + ")");
  }
  return base::join(statements, "; ");
}

}  // namespace fusecheck::graph
