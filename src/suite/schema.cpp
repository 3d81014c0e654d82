#include "suite/schema.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace fusecheck::suite {

void require_map(const std::string& source, const YamlNode& node, const std::string& what,
                 const std::vector<std::string>& keys) {
  if (node.kind != YamlNode::Kind::map) refuse_at(source, node, what + " must be a map, as in 'key: value'");
  for (const auto& [key, value] : node.entries) {
    if (std::find(keys.begin(), keys.end(), key.text) != keys.end()) continue;
    const std::string known = base::hint(key.text, keys);
    refuse_at(source, key,
              "unknown key " + base::quoted(key.text) + " in " + what +
                  (known.empty() ? "; there are " + base::join(keys, ", ") : known));
  }
}

const std::vector<YamlNode>& require_list(const std::string& source, const YamlNode& node, const std::string& what) {
  if (node.kind != YamlNode::Kind::list) refuse_at(source, node, what + " must be a list, as in '- item'");
  if (node.items.empty()) refuse_at(source, node, what + " is an empty list; remove the key");
  return node.items;
}

const std::string& require_text(const std::string& source, const YamlNode& node, const std::string& what) {
  if (node.kind != YamlNode::Kind::scalar) refuse_at(source, node, what + " must be one value");
  return node.text;
}

double require_number(const std::string& source, const YamlNode& node, const std::string& what) {
  const std::string& text = require_text(source, node, what);
  const double value = located(source, node, [&] { return base::parse_number(text, what); });
  if (!(value >= 0)) refuse_at(source, node, what + ": " + text + " is negative; a limit is 0 or more");
  return value;
}

const YamlNode* find(const YamlNode& map, std::string_view key) {
  for (const auto& [name, value] : map.entries) {
    if (name.text == key) return &value;
  }
  return nullptr;
}

const YamlNode& require(const std::string& source, const YamlNode& map, const std::string& key,
                        const std::string& what) {
  const YamlNode* found = find(map, key);
  if (found == nullptr) refuse_at(source, map, what + " needs '" + key + "'");
  return *found;
}

}  // namespace fusecheck::suite
