// golden diff, accept and prune: changes are looked at before they replace anything.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "golden/tree.hpp"

namespace fusecheck::golden {

struct TensorChange {
  std::string name;  // "recipe/fold/truth/y"
  std::int64_t elements = 0, changed = 0, max_ulp = 0;
  std::string what;  // instead of the numbers: "new", "gone", "shape 1x4 -> 1x5", "not stored: hash differs"
};

struct CaseChange {
  std::string case_line, folder;
  std::vector<TensorChange> tensors;
  std::string cause;  // the first version that differs: "model ieee/1 -> ieee/2"; empty: none does
};

// Every pending case of the tree against the accepted one. Errors as read_manifest.
std::vector<CaseChange> pending_changes(const std::filesystem::path& tree);

// The pending folder takes the place of the accepted one; index.json follows and CHANGES.jsonl gains a line.
// No-verdict error where it is not there.
void accept(const std::filesystem::path& tree, const CaseChange& change, const std::string& reason,
            const std::string& tool);

// Case folders that index.json does not name, and pending ones of cases that it does not name; with `remove` they go.
std::vector<std::string> prune(const std::filesystem::path& tree, bool remove);

}  // namespace fusecheck::golden
