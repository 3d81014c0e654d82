// Runs the cases of a suite: a pool of threads, each case checked by one of them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fusecheck/candidate.hpp"
#include "fusecheck/suite.hpp"
#include "suite/results.hpp"

namespace fusecheck::suite {

// Cases by status, expired known failures counted as failures.
struct Counts {
  std::map<std::string, std::size_t, std::less<>> by_status;
  std::map<std::string, std::size_t, std::less<>> errors;  // by kind
  std::size_t total = 0;

  std::size_t of(std::string_view status) const;
  void add(const CaseRecord& record, const std::string& today);
};

// DESIGN's order: 70 (internal error) > 2 (a case that is none) > 1 (fail, xpass) > 3 (error) > 4 (nothing passed).
int exit_code(const Counts& counts);

struct RunRequest {
  const Suite& suite;
  const std::vector<std::size_t>& selected;  // positions in suite.cases; a record's index is one in this list
  std::vector<std::size_t> todo = {};        // indices into `selected`
  int jobs = 1;
  std::string simd = "auto";
  std::size_t max_failures = 0;  // no new case begins after that many; 0: no limit
  std::string today = {};
  Candidate candidate = {};  // empty: the emulation is judged
  // Why the candidate is not for a case, which is then skipped.
  std::function<std::optional<std::string>(const CaseSpec&)> unsupported = {};
  std::function<void(CaseSpec&)> declare = {};  // fills in what the candidate's contract says of a case
  std::vector<std::string> kernel_reads = {};   // as in CheckRequest
  std::string kernel_flags = {};                // of the candidate, for repro lines: " --kernel kernel.yaml"
};

// One case, whatever happens in it: an error becomes its record.
CaseRecord judge_case(const RunRequest& request, std::size_t index);

// Writes a record for each of `todo`, in the order in which they end. `watch` is called several times a second from
// this thread with what is done so far; when it returns false, no new case begins. Rethrows what the writer throws.
Counts run_cases(const RunRequest& request, ResultWriter& writer, const std::function<bool(const Counts&)>& watch);

}  // namespace fusecheck::suite
