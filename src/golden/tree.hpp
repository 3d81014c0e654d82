// A tree of golden cases: index.json, one folder a case, changed cases pending beside their folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "golden/golden_case.hpp"

namespace fusecheck::golden {

// The index of a tree; empty where there is no index.json yet and `may_be_new`, else no-verdict error.
std::vector<IndexEntry> read_index(const std::filesystem::path& tree, bool may_be_new = false);
void write_index(const std::filesystem::path& tree, const std::vector<IndexEntry>& index);
// The line for a case as it lies in its folder.
IndexEntry index_entry(const Manifest& manifest);
void put(std::vector<IndexEntry>& index, IndexEntry entry);  // replaces the case's line, or adds it

// A case folder of a tree, read and held against its line of the index: no-verdict error where case.json is another
// one than the index names, or is another case's.
Manifest read_listed(const std::filesystem::path& tree, const IndexEntry& entry);

// Where a changed case waits for 'golden accept'.
std::filesystem::path pending_of(const std::filesystem::path& case_folder);
// Case folders below the tree, pending ones apart, relative to it and sorted.
struct Folders {
  std::vector<std::string> cases, pending;
};
Folders find_folders(const std::filesystem::path& tree);

// The tree that a case folder lies in, if two levels up there is an index.json.
std::optional<std::filesystem::path> tree_of(const std::filesystem::path& case_folder);

// The manifest of a case folder, as read_listed where the folder lies in a tree. No-verdict error where the tree's
// index does not name it.
Manifest trusted_manifest(const std::filesystem::path& case_folder);

}  // namespace fusecheck::golden
