// What a suite's keys may hold. Every refusal carries the place.
#pragma once

#include <string>
#include <vector>

#include "fusecheck/error.hpp"
#include "suite/yaml.hpp"

namespace fusecheck::suite {

// Runs `read`; a usage error that it throws gets the place in front.
template <class Read>
auto located(const std::string& source, const YamlNode& node, Read read) -> decltype(read()) {
  try {
    return read();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    refuse_at(source, node, error.what());
  }
}

// Usage error unless it is a map whose keys are all in `keys`.
void require_map(const std::string& source, const YamlNode& node, const std::string& what,
                 const std::vector<std::string>& keys);
const std::vector<YamlNode>& require_list(const std::string& source, const YamlNode& node, const std::string& what);
const std::string& require_text(const std::string& source, const YamlNode& node, const std::string& what);
double require_number(const std::string& source, const YamlNode& node, const std::string& what);  // 0 or more

// The value of a key, or null.
const YamlNode* find(const YamlNode& map, std::string_view key);
// Usage error when absent.
const YamlNode& require(const std::string& source, const YamlNode& map, const std::string& key,
                        const std::string& what);

}  // namespace fusecheck::suite
