// Which cases a limit, a known failure or a constraint of a matrix is about.
#pragma once

#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "fusecheck/case_spec.hpp"
#include "suite/yaml.hpp"

namespace fusecheck::suite {

// Every condition holds; a condition holds when one of its values does.
struct Matcher {
  struct Condition {
    std::string field;
    std::vector<CaseSpec> values;
  };
  std::vector<Condition> conditions;
  std::optional<std::regex> line;  // key `case`: found anywhere in the case's line
};

// Usage error with the place: unknown fields, values that a field does not have, no condition at all.
Matcher read_matcher(const std::string& source, const YamlNode& node, const std::string& what);

// `spec` with its attributes complete; `id` its line.
bool matches(const Matcher& matcher, const CaseSpec& spec, const std::string& id);

}  // namespace fusecheck::suite
