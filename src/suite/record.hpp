// What a run leaves behind: a header, and one line for each case. fusecheck.run/1, described in docs/suites.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fusecheck/suite.hpp"
#include "suite/select.hpp"

namespace fusecheck::suite {

inline constexpr const char* run_schema = "fusecheck.run/1";

struct RunHeader {
  std::string version;    // of fusecheck
  std::string suite;      // its name
  std::string selection;  // selection_digest()
  std::size_t cases = 0;  // selected, over all shards
  Shard shard;
  std::string target;    // "" or a target of the suite
  std::string kernel;    // who was judged: "emulation", or what a kernel's contract calls itself
  std::string contract;  // SHA-256 of the kernel's contract; "" for the emulation
  bool operator==(const RunHeader&) const = default;
};

// One output of one data set.
struct OutputRecord {
  std::string set, output, candidate;  // "random", "y", "fused"
  std::string status;
  std::string recipe;  // the schedule under which it was judged
  std::int64_t n = 0, bad = 0, nonfinite = 0, max_ulp = 0, flips = 0;
  double max_abs = 0, used = 0, mean_ulp = 0, rms = 0;  // as in fusecheck.result/1
};

struct CaseRecord {
  std::size_t index = 0;  // position among the selected cases
  std::string id;
  std::string status;  // pass, fail, weak, error, skip, xfail, xpass
  std::string reason;  // one line; empty on pass
  std::string kind;    // of an error: usage, no_verdict, internal
  std::string model, limit;
  std::string repro;  // not on pass
  std::optional<KnownFailure> known_failure;
  // Of the kernel, else of the fused emulation (the unfused one of a primitive): every output of every data set.
  // Of others (unfused, onednn): those that did not pass.
  std::vector<OutputRecord> outputs;
};

// One line without its newline; the same bytes for the same record.
std::string to_json(const RunHeader& header);
std::string to_json(const CaseRecord& record);
// Nothing where the line is not exactly that, whole.
std::optional<RunHeader> parse_header(std::string_view line);
std::optional<CaseRecord> parse_record(std::string_view line);

// A known failure that has expired is a failure. `today`: "2027-01-31".
std::string status_on(const CaseRecord& record, const std::string& today);

}  // namespace fusecheck::suite
