#include "suite/matcher.hpp"

#include <algorithm>

#include "suite/fields.hpp"
#include "suite/schema.hpp"

namespace fusecheck::suite {
namespace {

CaseSpec one_value(const std::string& source, const YamlNode& node, const std::string& field) {
  CaseSpec wanted;
  const std::string& text = require_text(source, node, field);
  located(source, node, [&] { set_field(wanted, field, text); });
  return wanted;
}

std::regex read_pattern(const std::string& source, const YamlNode& node) {
  const std::string& text = require_text(source, node, "case");
  try {
    return std::regex(text, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& error) {
    refuse_at(source, node, "case: not a regular expression: " + std::string(error.what()));
  }
}

}  // namespace

Matcher read_matcher(const std::string& source, const YamlNode& node, const std::string& what) {
  std::vector<std::string> keys = field_names();
  keys.emplace_back("case");
  require_map(source, node, what, keys);
  if (node.entries.empty()) refuse_at(source, node, what + " names no field; an empty one would match every case");
  Matcher matcher;
  for (const auto& [key, value] : node.entries) {
    if (key.text == "case") {
      matcher.line = read_pattern(source, value);
      continue;
    }
    Matcher::Condition condition{key.text, {}};
    if (value.kind == YamlNode::Kind::list) {
      for (const YamlNode& item : require_list(source, value, key.text)) {
        condition.values.push_back(one_value(source, item, key.text));
      }
    } else {
      condition.values.push_back(one_value(source, value, key.text));
    }
    matcher.conditions.push_back(std::move(condition));
  }
  return matcher;
}

bool matches(const Matcher& matcher, const CaseSpec& spec, const std::string& id) {
  const bool fields = std::all_of(matcher.conditions.begin(), matcher.conditions.end(), [&](const auto& condition) {
    return std::any_of(condition.values.begin(), condition.values.end(),
                       [&](const CaseSpec& wanted) { return has_field(spec, wanted, condition.field); });
  });
  return fields && (!matcher.line || std::regex_search(id, *matcher.line));
}

}  // namespace fusecheck::suite
