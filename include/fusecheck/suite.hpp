// A suite: many cases with their limits, in an order that depends on nothing but its text (docs/suites.md).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fusecheck/case_spec.hpp"
#include "fusecheck/judge.hpp"

namespace fusecheck {

// What decides a case besides its own line.
struct SuiteLimit {
  Tolerance tolerance = {};
  std::optional<double> max_diff = {};  // J12
  bool operator==(const SuiteLimit&) const = default;
};

// A case that is known to fail: it does not fail a run until `expires` has passed, and fails one when it passes.
struct KnownFailure {
  std::string owner, reason;
  std::string expires;  // "2027-01-31": the last day on which it counts
};

// A chip that a suite is run for. Empty: the suite, or the command line, says it.
struct SuiteTarget {
  std::string name, model, recipe;
  std::string baseline;  // path of the gate's CSV, relative to the suite's folder
};

struct SuiteCase {
  std::string id;                                 // to_line() of the case; parse_case(id) gives it back
  std::size_t limit = 0;                          // index into Suite::limits
  std::optional<std::size_t> known_failure = {};  // index into Suite::known_failures
};

// Cases are kept as their lines: a hundred thousand fit in some ten megabytes.
struct Suite {
  std::string name;    // "pr"; of a file: its name without folder and ending
  std::string sha256;  // over everything that a result depends on: lines, limits, known failures, target
  std::vector<SuiteLimit> limits = {SuiteLimit{}};  // the first is what holds where no matcher does
  std::vector<KnownFailure> known_failures;
  std::vector<SuiteTarget> targets;
  std::vector<SuiteCase> cases;  // matrices first, then explicit cases, both in the order written; no id is there twice
};

// `name_or_path`: a shipped suite, or a YAML or JSON file. `target` fills in model and recipe of the cases that name
// none. Usage error, with FILE:LINE:COLUMN, for anything that docs/suites.md does not describe, and for a case that
// does not fit together; no-verdict error for a file that is absent.
Suite read_suite(const std::string& name_or_path, const std::string& target = {});

// The same from text; `source` stands for the file in messages.
Suite parse_suite(std::string_view text, const std::string& source, const std::string& target = {});

// smoke, pr, resnet50, transformer ...
std::vector<std::string> shipped_suites();

}  // namespace fusecheck
