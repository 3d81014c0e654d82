// golden make and golden check: from cases to a tree, and back.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fusecheck/error.hpp"
#include "fusecheck/judge.hpp"
#include "golden/tree.hpp"

namespace fusecheck::golden {

enum class Made : std::uint8_t { fresh, unchanged, changed };

struct MakeResult {
  std::string case_line, folder;  // the folder that was written: of a changed case the pending one
  Made made = Made::fresh;
  std::int64_t tensors = 0, bytes = 0;          // of all tensors
  std::int64_t stored_tensors = 0, stored = 0;  // payload files and their bytes
};

// A case to make, and what decides it: its limit goes with it into case.json, where compare takes it from.
struct MakeRequest {
  CaseSpec spec;
  Tensors given = {};  // inputs in place of drawn ones
  Tolerance tolerance = {};
  std::optional<double> max_diff = {};
};

// Derives the case twice, with 1 and 2 threads, and writes it to the tree: a new case to its folder and the index, a
// changed one to the pending folder beside it. Never overwrites. `index` gains the case's line and
// the caller writes it (a case folder without a line, of a run that was killed, gets one too). With `samples`,
// samples.json holds up to 256 elements of each tensor that is not stored. Internal error where the two derivations
// differ.
MakeResult make_case(const std::filesystem::path& tree, std::vector<IndexEntry>& index, const MakeRequest& request,
                     const Execution& execution, bool samples);

struct Problem {
  ErrorKind kind;
  std::string text;
};
struct CheckResult {
  std::int64_t cases = 0, tensors = 0;
  std::vector<Problem> problems;   // in the order of the index
  std::vector<std::string> notes;  // pending cases, folders without a line in the index
};

// Re-derives every case of the tree and compares every hash: of case.json, of each stored payload, of each tensor.
CheckResult check_tree(const std::filesystem::path& tree, const Execution& execution);

}  // namespace fusecheck::golden
