#include "cli/golden_flags.hpp"

#include <algorithm>
#include <thread>

#include "base/text.hpp"
#include "check/case_info.hpp"
#include "cli/request.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/suite.hpp"
#include "golden/files.hpp"

namespace fusecheck::cli {
namespace {

Flag flat_flag(const std::string& name) {
  const auto found =
      std::find_if(all_flags().begin(), all_flags().end(), [&](const Flag& flag) { return flag.name == name; });
  if (found == all_flags().end()) internal_error("no flag " + name);
  return *found;
}

// A case that does not fit together is refused before the first one is made.
void add_each_set(CaseSpec spec, std::vector<CaseSpec>& cases) {
  case_info(spec);
  const std::vector<DataSet> sets = spec.data;
  for (const DataSet set : sets) {
    spec.data = {set};
    cases.push_back(golden::canonical(spec));
  }
}

std::vector<std::string> lines_of(const std::string& file) {
  std::vector<std::string> lines;
  for (std::string line : base::split(golden::read_text(file), '\n')) {
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
    if (!line.empty() && line.front() != '#') lines.push_back(std::move(line));
  }
  if (lines.empty()) usage_error("--cases " + base::quoted(file) + " holds no case line");
  return lines;
}

}  // namespace

Flag output_flag() { return {"--output", "DIR", false, false, "Output", "where to write", "-o"}; }
Flag threads_flag() { return flat_flag("--threads"); }
Flag simd_flag() { return flat_flag("--simd"); }

golden::Execution execution_of(const Given& given) {
  golden::Execution execution{static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 256U)), "auto"};
  if (given.has("--threads")) {
    const std::int64_t threads = base::parse_integer(given.one("--threads"), "--threads");
    if (threads < 1 || threads > 256) usage_error("--threads " + given.one("--threads") + " is outside 1..256");
    execution.threads = static_cast<int>(threads);
  }
  if (given.has("--simd")) execution.simd = given.one("--simd");
  return execution;
}

std::vector<CaseSpec> cases_of(const Given& given) {
  std::vector<std::string> lines = given.all("--case");
  for (const std::string& file : given.all("--cases")) {
    for (std::string& line : lines_of(file)) lines.push_back(std::move(line));
  }
  for (const std::string& name : given.all("--suite")) {
    const Suite suite = read_suite(name);
    for (const SuiteCase& one : suite.cases) lines.push_back(one.id);
  }
  std::vector<CaseSpec> cases;
  for (const std::string& line : lines) add_each_set(parse_case(line), cases);
  if (!lines.empty()) {
    for (const Flag& flag : all_flags()) {
      if (flag.case_part && given.has(flag.name)) {
        usage_error("--case says everything about the case; leave out " + flag.name + " or --case");
      }
    }
    return cases;
  }
  add_each_set(read_command_line(given).request.spec, cases);
  return cases;
}

std::string tree_of(const Given& given) { return given.words().empty() ? "golden" : given.words().front(); }

}  // namespace fusecheck::cli
