#include "suite/rules.hpp"

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "suite/dates.hpp"
#include "suite/schema.hpp"

namespace fusecheck::suite {
namespace {

SuiteLimit read_limit(const std::string& source, const YamlNode& node) {
  SuiteLimit limit;
  int given = 0;
  if (const YamlNode* tol = find(node, "tol")) {
    const std::string& text = require_text(source, *tol, "tol");
    limit.tolerance = located(source, *tol, [&] { return parse_tolerance(text); });
    ++given;
  }
  const YamlNode* atol = find(node, "atol");
  const YamlNode* rtol = find(node, "rtol");
  if (atol != nullptr || rtol != nullptr) {
    limit.tolerance.name = "mixed";
    if (atol != nullptr) limit.tolerance.atol = require_number(source, *atol, "atol");
    if (rtol != nullptr) limit.tolerance.rtol = require_number(source, *rtol, "rtol");
    ++given;
  }
  if (const YamlNode* ulp = find(node, "max_ulp")) {
    const std::string& text = require_text(source, *ulp, "max_ulp");
    limit.tolerance.name = "ulp";
    limit.tolerance.max_ulp = located(source, *ulp, [&] { return base::parse_integer(text, "max_ulp"); });
    if (limit.tolerance.max_ulp < 0) refuse_at(source, *ulp, "max_ulp: " + text + " is negative");
    ++given;
  }
  if (given > 1) refuse_at(source, node, "tol, atol/rtol and max_ulp exclude each other: one limit decides");
  if (const YamlNode* diff = find(node, "max_diff")) {
    limit.max_diff = require_number(source, *diff, "max_diff");
  } else if (given == 0) {
    refuse_at(source, node, "a limit needs tol, atol, rtol, max_ulp or max_diff");
  }
  return limit;
}

std::string read_date(const std::string& source, const YamlNode& node) {
  const std::string& text = require_text(source, node, "expires");
  if (!is_date(text)) {
    refuse_at(source, node, "expires: " + base::quoted(text) + " is not a date, as in 2027-01-31");
  }
  return text;
}

}  // namespace

std::vector<LimitRule> read_limits(const std::string& source, const YamlNode* list, Suite& suite) {
  std::vector<LimitRule> rules;
  if (list == nullptr) return rules;
  for (const YamlNode& node : require_list(source, *list, "limits")) {
    require_map(source, node, "limits", {"match", "tol", "atol", "rtol", "max_ulp", "max_diff"});
    const YamlNode& match = require(source, node, "match", "a limit");
    suite.limits.push_back(read_limit(source, node));
    rules.push_back({&node, read_matcher(source, match, "match"), suite.limits.size() - 1});
  }
  return rules;
}

std::vector<FailureRule> read_known_failures(const std::string& source, const YamlNode* list, Suite& suite) {
  std::vector<FailureRule> rules;
  if (list == nullptr) return rules;
  for (const YamlNode& node : require_list(source, *list, "known_failures")) {
    require_map(source, node, "known_failures", {"match", "owner", "reason", "expires"});
    const auto text = [&](const std::string& key) {
      return require_text(source, require(source, node, key, "a known failure"), key);
    };
    const YamlNode& match = require(source, node, "match", "a known failure");
    suite.known_failures.push_back(
        {text("owner"), text("reason"), read_date(source, require(source, node, "expires", "a known failure"))});
    rules.push_back({&node, read_matcher(source, match, "match"), suite.known_failures.size() - 1});
  }
  return rules;
}

void read_targets(const std::string& source, const YamlNode* map, Suite& suite) {
  if (map == nullptr) return;
  if (map->kind != YamlNode::Kind::map || map->entries.empty()) {
    refuse_at(source, *map, "targets must be a map from a chip's name to model, recipe, baseline");
  }
  for (const auto& [key, node] : map->entries) {
    require_map(source, node, "target " + key.text, {"model", "recipe", "baseline"});
    SuiteTarget target{key.text, "", "", ""};
    const auto read = [&, &node_of_target = node](const std::string& name, std::string& value) {
      const YamlNode* given = find(node_of_target, name);
      if (given != nullptr) value = require_text(source, *given, name);
    };
    read("model", target.model);
    read("recipe", target.recipe);
    read("baseline", target.baseline);
    if (!target.model.empty()) {
      located(source, *find(node, "model"), [&] { return parse_model(target.model); });
    }
    suite.targets.push_back(std::move(target));
  }
}

}  // namespace fusecheck::suite
