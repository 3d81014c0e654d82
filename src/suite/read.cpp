// One YAML file to one Suite.
#include <fstream>
#include <iterator>
#include <unordered_map>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "check/case_info.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/suite.hpp"
#include "suite/expand.hpp"
#include "suite/rules.hpp"
#include "suite/schema.hpp"
#include "suite/shipped.hpp"

namespace fusecheck {
namespace {

using suite::YamlNode;

constexpr std::size_t largest_file = std::size_t{64} << 20;  // bytes

const SuiteTarget& find_target(const Suite& suite, const std::string& source, const std::string& name) {
  std::vector<std::string> names;
  for (const SuiteTarget& target : suite.targets) {
    if (target.name == name) return target;
    names.push_back(target.name);
  }
  usage_error("--target " + base::quoted(name) + " is no target of " + source +
              (names.empty() ? "; the suite has none" : "; there are " + base::join(names, ", ")) +
              base::hint(name, names));
}

void apply(const SuiteTarget& target, CaseSpec& spec) {
  if (!target.model.empty() && !spec.model_given) {
    spec.model = parse_model(target.model);
    spec.model_given = true;
  }
  if (!target.recipe.empty() && spec.recipe.empty()) spec.recipe = target.recipe;
}

std::string digest(const Suite& suite, const std::string& target) {
  std::string text = "fusecheck.suite/1\ntarget " + target + "\n";
  for (const SuiteCase& one : suite.cases) {
    const SuiteLimit& limit = suite.limits[one.limit];
    text += one.id + "\t" + to_text(limit.tolerance);
    if (limit.max_diff) text += "\tmax_diff " + base::number_text(*limit.max_diff);
    if (one.known_failure) {
      const KnownFailure& known = suite.known_failures[*one.known_failure];
      text += "\t" + known.owner + "\t" + known.reason + "\t" + known.expires;
    }
    text += "\n";
  }
  return base::sha256_hex(std::as_bytes(std::span(text)));
}

// Gives every case its line, its limit and its known failure; refuses what does not fit together or stands twice.
class Assembler {
 public:
  Assembler(const std::string& source, Suite& suite, std::vector<suite::LimitRule> limits,
            std::vector<suite::FailureRule> failures)
      : source_(source), suite_(suite), limits_(std::move(limits)), failures_(std::move(failures)) {}

  void add(const suite::PlacedCase& placed) {
    if (suite_.cases.size() == suite::most_cases) {
      suite::refuse_at(source_, *placed.place,
                       "the suite has over " + std::to_string(suite::most_cases) + " cases; split it");
    }
    SuiteCase one{to_line(placed.spec)};
    const auto [earlier, fresh] = lines_.emplace(one.id, placed.place->line);
    if (!fresh) {
      suite::refuse_at(source_, *placed.place,
                       "case " + base::quoted(one.id) + " is there twice, first by line " +
                           std::to_string(earlier->second) + "; exclude it in one of the places, or change its seed");
    }
    CaseSpec complete = placed.spec;
    complete.attrs = suite::located(source_, *placed.place, [&] {
      try {
        return case_info(placed.spec).attrs;
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::usage) throw;
        usage_error("case " + base::quoted(one.id) + ": " + error.what());
      }
    });
    for (suite::LimitRule& rule : limits_) {
      if (!matches(rule.matcher, complete, one.id)) continue;
      rule.used = true;
      if (one.limit == 0) one.limit = rule.limit;
    }
    for (suite::FailureRule& rule : failures_) {
      if (!matches(rule.matcher, complete, one.id)) continue;
      rule.used = true;
      if (!one.known_failure) one.known_failure = rule.failure;
    }
    suite_.cases.push_back(std::move(one));
  }

  // A matcher without a case is a mistyped one, and nobody would notice.
  void require_all_used() const {
    for (const suite::LimitRule& rule : limits_) {
      if (!rule.used) suite::refuse_at(source_, *rule.node, "this limit matches no case; correct it, or remove it");
    }
    for (const suite::FailureRule& rule : failures_) {
      if (!rule.used) {
        suite::refuse_at(source_, *rule.node, "this known failure matches no case; correct it, or remove it");
      }
    }
  }

 private:
  const std::string& source_;
  Suite& suite_;
  std::vector<suite::LimitRule> limits_;
  std::vector<suite::FailureRule> failures_;
  std::unordered_map<std::string, int> lines_;
};

std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    no_verdict_error("suite " + base::quoted_path(path) + " is neither a file that can be read nor a shipped suite (" +
                     base::join(shipped_suites(), ", ") + ")" + base::hint(path, shipped_suites()));
  }
  std::string text(std::istreambuf_iterator<char>(stream), {});
  if (text.size() > largest_file) usage_error("suite " + base::quoted_path(path) + " is larger than 64 MiB");
  if (text.starts_with("version https://git-lfs")) {
    usage_error("suite " + base::quoted_path(path) + " is a Git LFS pointer, not data; run 'git lfs pull'");
  }
  return text;
}

std::string name_of_source(const std::string& source) {
  std::string name = source.substr(source.find_last_of('/') + 1);
  return name.substr(0, name.find_last_of('.') == 0 ? name.size() : name.find_last_of('.'));
}

}  // namespace

std::vector<std::string> shipped_suites() {
  std::vector<std::string> names;
  for (const suite::ShippedSuite& one : suite::shipped_texts()) names.emplace_back(one.name);
  return names;
}

Suite parse_suite(std::string_view text, const std::string& source, const std::string& target) {
  const suite::YamlFile file = suite::parse_yaml(text, source);
  const YamlNode& root = file.root;
  suite::require_map(source, root, "suite",
                     {"version", "name", "defaults", "matrix", "cases", "limits", "known_failures", "targets"});
  const YamlNode& version = suite::require(source, root, "version", "a suite");
  if (suite::require_text(source, version, "version") != "1") {
    suite::refuse_at(source, version, "version " + base::quoted(version.text) + " is unknown; this program reads 1");
  }
  Suite suite;
  const YamlNode* name = suite::find(root, "name");
  suite.name = name != nullptr ? suite::require_text(source, *name, "name") : name_of_source(source);
  suite::read_targets(source, suite::find(root, "targets"), suite);
  const SuiteTarget chosen = target.empty() ? SuiteTarget{} : find_target(suite, source, target);
  const CaseSpec defaults = suite::read_defaults(source, suite::find(root, "defaults"));
  std::vector<suite::LimitRule> limits = suite::read_limits(source, suite::find(root, "limits"), suite);
  Assembler assembler(source, suite, std::move(limits),
                      suite::read_known_failures(source, suite::find(root, "known_failures"), suite));
  const auto add = [&](suite::PlacedCase placed) {
    apply(chosen, placed.spec);
    assembler.add(placed);
  };
  const YamlNode* matrix = suite::find(root, "matrix");
  const YamlNode* cases = suite::find(root, "cases");
  if (matrix == nullptr && cases == nullptr) suite::refuse_at(source, root, "a suite needs 'matrix' or 'cases'");
  if (matrix != nullptr) {
    for (const YamlNode& node : suite::require_list(source, *matrix, "matrix")) {
      suite::expand_matrix(source, node, defaults, add);
    }
  }
  if (cases != nullptr) {
    for (const YamlNode& node : suite::require_list(source, *cases, "cases")) {
      add(suite::read_case(source, node, defaults));
    }
  }
  assembler.require_all_used();
  suite.sha256 = digest(suite, target);
  return suite;
}

Suite read_suite(const std::string& name_or_path, const std::string& target) {
  for (const suite::ShippedSuite& one : suite::shipped_texts()) {
    if (one.name == name_or_path) return parse_suite(one.text, name_or_path, target);
  }
  return parse_suite(read_file(name_or_path), name_or_path, target);
}

}  // namespace fusecheck
