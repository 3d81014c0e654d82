// The parts of a suite that say what decides its cases: limits, known failures, targets.
#pragma once

#include <string>
#include <vector>

#include "fusecheck/suite.hpp"
#include "suite/matcher.hpp"
#include "suite/yaml.hpp"

namespace fusecheck::suite {

// `limit` and `failure` are indices into what the suite holds.
struct LimitRule {
  const YamlNode* node;
  Matcher matcher;
  std::size_t limit;
  bool used = false;
};

struct FailureRule {
  const YamlNode* node;
  Matcher matcher;
  std::size_t failure;
  bool used = false;
};

// Each takes the value of its key, which may be null, and appends to `suite`. Usage error with the place.
std::vector<LimitRule> read_limits(const std::string& source, const YamlNode* list, Suite& suite);
std::vector<FailureRule> read_known_failures(const std::string& source, const YamlNode* list, Suite& suite);
void read_targets(const std::string& source, const YamlNode* map, Suite& suite);

}  // namespace fusecheck::suite
