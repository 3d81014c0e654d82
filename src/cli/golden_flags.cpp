#include "cli/golden_flags.hpp"

#include <algorithm>
#include <thread>

#include "base/text.hpp"
#include "check/case_info.hpp"
#include "cli/files.hpp"
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
void add_each_set(const golden::MakeRequest& request, std::vector<golden::MakeRequest>& cases) {
  case_info(request.spec);
  for (const DataSet set : request.spec.data) {
    golden::MakeRequest one = request;
    one.spec.data = {set};
    one.spec = golden::canonical(one.spec);
    cases.push_back(std::move(one));
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

std::vector<Flag> limit_and_input_flags() {
  return {flat_flag("--tol"), flat_flag("--max-diff"), flat_flag("--input")};
}

namespace {

// The one case of the flat flags, or of --case, with the tensors of --input.
golden::MakeRequest flat_request(const Given& given) {
  if (given.has("--cases") || given.has("--suite") || given.all("--case").size() > 1) {
    usage_error("--input holds the tensors of one case; name one, with the flags of a case or with --case");
  }
  CommandLine line = read_command_line(given);
  read_files(line);
  if (given.has("--input") && line.request.spec.data.size() != 1) {
    usage_error("--input: the tensors are one data set, and the case names " +
                std::to_string(line.request.spec.data.size()) + "; add --data random");
  }
  return {line.request.spec, line.request.inputs};
}

std::vector<golden::MakeRequest> listed_requests(const Given& given) {
  std::vector<golden::MakeRequest> requests;
  for (const std::string& line : given.all("--case")) requests.push_back({parse_case(line)});
  for (const std::string& file : given.all("--cases")) {
    for (const std::string& line : lines_of(file)) requests.push_back({parse_case(line)});
  }
  for (const std::string& name : given.all("--suite")) {
    const Suite suite = read_suite(name);
    for (const SuiteCase& one : suite.cases) {
      const SuiteLimit& limit = suite.limits[one.limit];
      requests.push_back({parse_case(one.id), {}, limit.tolerance, limit.max_diff});
    }
  }
  for (const Flag& flag : all_flags()) {
    if (requests.empty() || !flag.case_part || !given.has(flag.name)) continue;
    usage_error("--case says everything about the case; leave out " + flag.name + " or --case");
  }
  return requests;
}

}  // namespace

std::vector<golden::MakeRequest> cases_of(const Given& given) {
  std::vector<golden::MakeRequest> requests, cases;
  if (!given.has("--input")) requests = listed_requests(given);
  if (requests.empty()) requests.push_back(flat_request(given));
  for (golden::MakeRequest& request : requests) {
    if (given.has("--tol")) request.tolerance = parse_tolerance(given.one("--tol"));
    if (given.has("--max-diff")) request.max_diff = base::parse_number(given.one("--max-diff"), "--max-diff");
    if (request.max_diff.value_or(0) < 0) usage_error("--max-diff is negative; a limit is 0 or more");
    add_each_set(request, cases);
  }
  return cases;
}

std::string tree_of(const Given& given) { return given.words().empty() ? "golden" : given.words().front(); }

}  // namespace fusecheck::cli
