#include "golden/tree.hpp"

#include <algorithm>
#include <system_error>

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "golden/files.hpp"

namespace fusecheck::golden {

namespace fs = std::filesystem;

std::vector<IndexEntry> read_index(const fs::path& tree, bool may_be_new) {
  const fs::path file = tree / "index.json";
  std::error_code error;
  if (!fs::exists(file, error)) {
    if (may_be_new) return {};
    no_verdict_error(tree.string() + ": holds no index.json; name a folder that 'fusecheck golden make' wrote");
  }
  return parse_index(read_text(file), file.string());
}

void write_index(const fs::path& tree, const std::vector<IndexEntry>& index) {
  write_text(tree / "index.json", to_json(index));
}

IndexEntry index_entry(const Manifest& manifest) {
  return {manifest.case_line, folder_of(parse_case(manifest.case_line)), sha256_of(to_json(manifest)),
          std::ssize(manifest.tensors), stored_bytes(manifest)};
}

void put(std::vector<IndexEntry>& index, IndexEntry entry) {
  const auto same = [&](const IndexEntry& other) { return other.case_line == entry.case_line; };
  const auto found = std::find_if(index.begin(), index.end(), same);
  if (found != index.end()) {
    *found = std::move(entry);
  } else {
    index.push_back(std::move(entry));
  }
}

Manifest read_listed(const fs::path& tree, const IndexEntry& entry) {
  const fs::path folder = tree / entry.folder;
  std::error_code error;
  if (!fs::exists(folder, error)) {
    no_verdict_error("golden case " + entry.case_line + ": its folder " + folder.string() + " is absent");
  }
  const Manifest manifest = read_manifest(folder);
  if (manifest.case_line != entry.case_line) {
    no_verdict_error(folder.string() + ": holds case " + manifest.case_line + ", index.json says " + entry.case_line);
  }
  if (sha256_of(to_json(manifest)) != entry.manifest_sha256) {
    no_verdict_error(folder.string() +
                     "/case.json: is not the one that index.json names (its SHA-256 differs); "
                     "restore it, or review the change with 'fusecheck golden check'");
  }
  return manifest;
}

fs::path pending_of(const fs::path& case_folder) {
  fs::path pending = case_folder;
  pending += ".new";
  return pending;
}

Folders find_folders(const fs::path& tree) {
  Folders folders;
  std::error_code error;
  for (fs::directory_iterator op(tree, error), end; !error && op != end; op.increment(error)) {
    if (!op->is_directory()) continue;
    std::error_code inner;
    for (fs::directory_iterator one(op->path(), inner); !inner && one != end; one.increment(inner)) {
      if (!fs::exists(one->path() / "case.json")) continue;
      const std::string name = fs::relative(one->path(), tree).generic_string();
      (name.ends_with(".new") ? folders.pending : folders.cases).push_back(name);
    }
    if (inner) no_verdict_error(op->path().string() + ": cannot be read: " + inner.message());
  }
  if (error) no_verdict_error(tree.string() + ": cannot be read: " + error.message());
  std::sort(folders.cases.begin(), folders.cases.end());
  std::sort(folders.pending.begin(), folders.pending.end());
  return folders;
}

std::optional<fs::path> tree_of(const fs::path& case_folder) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(case_folder, error);
  if (error) return std::nullopt;
  const fs::path tree = whole.parent_path().parent_path();
  if (!fs::exists(tree / "index.json", error)) return std::nullopt;
  return tree;
}

Manifest trusted_manifest(const fs::path& folder) {
  const std::optional<fs::path> tree = tree_of(folder);
  if (!tree) return read_manifest(folder);
  const std::string name = fs::relative(fs::weakly_canonical(folder), *tree).generic_string();
  for (const IndexEntry& entry : read_index(*tree)) {
    if (entry.folder == name) return read_listed(*tree, entry);
  }
  no_verdict_error(folder.string() + ": is not in the tree's index.json" +
                   (name.ends_with(".new") ? "; it is pending, accept it first" : ""));
}

}  // namespace fusecheck::golden
