// Which cases of a suite a run is about.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fusecheck/suite.hpp"

namespace fusecheck::suite {

struct Shard {
  std::size_t index = 1, count = 1;  // from 1
  bool operator==(const Shard&) const = default;
};

std::string to_text(const Shard& shard);                         // "2/8"
Shard parse_shard(const std::string& text);                      // usage error unless "K/N" with 1 <= K <= N
std::size_t shard_of(const std::string& id, std::size_t count);  // 1..count; does not depend on the other cases

// From the variables that job schedulers set. `source` says which: "CI_NODE_INDEX=2, CI_NODE_TOTAL=8".
struct FoundShard {
  Shard shard;
  std::string source;
};
// In this order: Bazel (TEST_SHARD_INDEX, TEST_TOTAL_SHARDS; from 0), GoogleTest (GTEST_*; from 0), GitLab
// (CI_NODE_INDEX, CI_NODE_TOTAL; from 1), Slurm arrays (SLURM_ARRAY_TASK_ID, _MIN, _COUNT). Usage error where none is
// set, or a value is no number or outside.
FoundShard find_shard(const std::map<std::string, std::string>& environment);
const std::vector<std::string>& shard_variables();  // all of these names

struct Selection {
  std::vector<std::string> filters, excludes;  // regular expressions, found anywhere in the line
  std::optional<std::size_t> sample;           // that many cases, chosen by hash: growing it only adds cases
};

// Positions in suite.cases, ascending, before sharding. Usage error: a bad expression.
std::vector<std::size_t> select(const Suite& suite, const Selection& selection);

// SHA-256 of what was selected: results of two runs belong together when it is equal.
std::string selection_digest(const Suite& suite, const std::vector<std::size_t>& selected);

}  // namespace fusecheck::suite
