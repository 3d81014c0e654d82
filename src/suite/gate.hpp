// May this kernel be merged? Results against a baseline, row by row: nothing is netted (docs/gate.md).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "suite/baseline.hpp"
#include "suite/results.hpp"

namespace fusecheck::suite {

// One row that has something to say.
struct GateFinding {
  std::string verdict;  // failed, worse, non-finite, changed, weak, missing, xpass, error; "better"
  RowKey key;           // set and output are empty where it is about the whole case
  std::string metric, base, now, limit;
  std::string repro;       // of the case
  bool fails = true;       // false: better, or not this change's doing
  bool inherited = false;  // --base-results has it, too: "not yours"
};

struct GateReport {
  std::vector<GateFinding> findings;            // in the order of cases, those that fail first
  std::size_t cases = 0, rows = 0;              // of the baseline
  std::size_t same = 0, better = 0, roomy = 0;  // rows; roomy: more than four times better than the baseline
  std::size_t new_cases = 0, known_failures = 0, errors = 0;
  std::string next_expiry;  // of the known failures; empty: there is none
};

// `today` lets known failures expire; `base_results` is a run of the state before the change. No-verdict error: results
// that are not complete.
GateReport judge_gate(const Baseline& baseline, const ResultFile& results, const std::string& today,
                      const std::optional<ResultFile>& base_results = std::nullopt);

// 1 a finding fails, 3 only errors of cases that the baseline does not have, 4 nothing was compared, else 0.
int exit_code(const GateReport& report);

struct GateUpdate {
  Baseline baseline;
  std::size_t tightened = 0, added = 0, loosened = 0, removed = 0;
  std::vector<GateFinding> kept;  // what a reason would have changed
};

// Numbers only go down, new rows are added; what is worse, changed or gone is taken over only with a `reason`, and of
// one case only where `only` names it.
GateUpdate update_baseline(const Baseline& baseline, const ResultFile& results, const std::string& today,
                           const std::string& reason, const std::string& only);

// How a row compares: shared by both. Empty: no worse. `row` is what the results have.
std::optional<GateFinding> worse_than(const RowKey& key, const BaselineRow& base, const BaselineRow& row);

}  // namespace fusecheck::suite
