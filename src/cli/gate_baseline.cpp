#include "cli/gate_baseline.hpp"

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/suite.hpp"
#include "plugin/contract.hpp"
#include "suite/results.hpp"

namespace fusecheck::cli {
namespace {

std::string baseline_of_target(const std::string& source, const std::vector<SuiteTarget>& targets,
                               const std::string& results) {
  const std::string chip = suite::scan_results(results).header.target;
  if (chip.empty()) {
    usage_error(base::quoted(results) + " is of a run without --target, so " + base::quoted(source) +
                " cannot say its baseline; give --baseline FILE.csv");
  }
  std::vector<std::string> names;
  for (const SuiteTarget& target : targets) names.push_back(target.name);
  const auto found = std::find(names.begin(), names.end(), chip);
  if (found == names.end()) {
    usage_error(base::quoted(results) + " is of target " + base::quoted(chip) + ", which " + base::quoted(source) +
                " has not" + base::hint(chip, names));
  }
  const std::string& baseline = targets[static_cast<std::size_t>(found - names.begin())].baseline;
  if (baseline.empty()) {
    usage_error("targets." + chip + " of " + base::quoted(source) +
                " names no baseline; add 'baseline: FILE.csv' there, or give --baseline");
  }
  return (std::filesystem::path(source).parent_path() / baseline).string();
}

}  // namespace

std::vector<Flag> baseline_flags() {
  return {{"--baseline", "FILE", false, false, "Gate", "CSV of what was accepted; or"},
          {"--kernel", "FILE", false, false, "Gate", "contract whose targets name it, for the --target of the run; or"},
          {"--suite", "FILE", false, false, "Gate", "suite whose targets do"}};
}

std::string baseline_of(const Given& given, const std::string& results) {
  std::vector<std::string> said;
  for (const Flag& flag : baseline_flags()) {
    if (given.has(flag.name)) said.push_back(flag.name);
  }
  if (said.empty()) {
    usage_error(
        "gate needs --baseline FILE.csv, or --kernel or --suite with targets that name one; 'fusecheck gate update' "
        "writes the first one");
  }
  if (said.size() > 1) usage_error(base::join(said, " and ") + " each say the baseline; give one of them");
  const std::string& file = given.one(said[0]);
  if (said[0] == "--baseline") return file;
  const bool contract = said[0] == "--kernel";
  return baseline_of_target(file, contract ? plugin::read_contract(file).targets : read_suite(file).targets, results);
}

}  // namespace fusecheck::cli
