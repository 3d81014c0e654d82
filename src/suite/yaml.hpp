// A strict subset of YAML 1.2 as a tree of text with places. JSON is part of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fusecheck::suite {

struct YamlNode {
  enum class Kind : std::uint8_t { scalar, list, map };
  Kind kind = Kind::scalar;
  int line = 1, column = 1;
  std::string text = {};             // scalar: as written, without quotes; never a guess of its type
  std::vector<YamlNode> items = {};  // list
  std::vector<std::pair<YamlNode, YamlNode>> entries = {};  // map, in the order written; keys are scalars
};

struct YamlFile {
  std::string source;
  YamlNode root;
};

// Usage error "SOURCE:LINE:COLUMN: ..." for what is no YAML, and for what this subset leaves out: anchors, aliases,
// tags, merge keys, empty values, keys that are not plain text, keys that stand twice, more than one document, over 64
// levels.
YamlFile parse_yaml(std::string_view text, const std::string& source);

// "SOURCE:LINE:COLUMN: message", as a usage error.
[[noreturn]] void refuse_at(const std::string& source, const YamlNode& node, const std::string& message);

}  // namespace fusecheck::suite
