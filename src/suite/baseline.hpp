// What a kernel's accuracy was when it was last accepted: a sorted CSV in git, a row for each output of each data set
// of each case (docs/gate.md).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "suite/results.hpp"

namespace fusecheck::suite {

struct RowKey {
  std::string id, set, output;
  auto operator<=>(const RowKey&) const = default;
};

// Every number is as in OutputRecord. What stands before `n` says under which rules the numbers came about.
struct BaselineRow {
  std::string status;  // pass or weak
  std::string recipe, model, limit, contract;
  std::int64_t n = 0, bad = 0, nonfinite = 0, max_ulp = 0, flips = 0;
  double used = 0, mean_ulp = 0, rms = 0;
  std::string reason = {};  // why it was once loosened; empty: never
  bool operator==(const BaselineRow&) const = default;
};

using Baseline = std::map<RowKey, BaselineRow>;

// Usage error with FILE:LINE for anything but what write_baseline writes, rows in any order; no-verdict error: absent.
Baseline read_baseline(const std::string& path);
std::string to_csv(const Baseline& baseline);

// The rows of what was judged: the kernel's, or the fused emulation's. Statuses may be any.
std::vector<std::pair<RowKey, BaselineRow>> rows_of(const RunHeader& header, const CaseRecord& record);

}  // namespace fusecheck::suite
