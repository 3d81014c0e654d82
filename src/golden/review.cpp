#include "golden/review.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "fusecheck/error.hpp"
#include "golden/files.hpp"

namespace fusecheck::golden {
namespace {

namespace fs = std::filesystem;

TensorChange compare(const Tensor& before, const Tensor& after, const std::string& name) {
  TensorChange change{name, after.size(), 0, 0, ""};
  for (std::int64_t i = 0; i < after.size(); ++i) {
    const double a = before.at(i), b = after.at(i);
    const bool same = (a == b && std::signbit(a) == std::signbit(b)) || (std::isnan(a) && std::isnan(b));
    if (same) continue;
    ++change.changed;
    change.max_ulp = std::max(change.max_ulp, ulp_distance(after.dtype(), a, b));
  }
  return change;
}

std::vector<TensorChange> compare(const fs::path& old_folder, const Manifest& before, const fs::path& new_folder,
                                  const Manifest& after) {
  std::vector<TensorChange> changes;
  std::set<std::string> names;
  for (const Manifest* manifest : {&before, &after}) {
    for (const Entry& entry : manifest->tensors) names.insert(entry.name);
  }
  for (const std::string& name : names) {
    const Entry* a = before.find(name);
    const Entry* b = after.find(name);
    if (a == nullptr || b == nullptr) {
      changes.push_back({name, 0, 0, 0, a == nullptr ? "new" : "gone"});
    } else if (a->dtype != b->dtype) {
      changes.push_back(
          {name, 0, 0, 0, "dtype " + std::string(name_of(a->dtype)) + " -> " + std::string(name_of(b->dtype))});
    } else if (a->shape != b->shape) {
      changes.push_back({name, 0, 0, 0, "SHAPE " + to_text(a->shape) + " -> " + to_text(b->shape)});
    } else if (a->sha256 != b->sha256) {
      if (a->file.empty() || b->file.empty()) {
        changes.push_back({name, element_count(b->shape), 0, 0, "hash differs (not stored)"});
      } else {
        changes.push_back(compare(read_stored(old_folder, before, *a), read_stored(new_folder, after, *b), name));
      }
    }
  }
  return changes;
}

std::string cause_of(const Manifest& before, const Manifest& after) {
  // What the others depend on comes first.
  for (const char* what : {"op", "rng", "data", "kinks", "model", "reference"}) {
    const auto a = before.versions.find(what), b = after.versions.find(what);
    const std::string from = a == before.versions.end() ? "none" : a->second;
    const std::string to = b == after.versions.end() ? "none" : b->second;
    if (from != to) return std::string(what) + " " + from + " -> " + to;
  }
  if (before.given != after.given) return "other inputs are given";
  for (const std::string& name : after.given) {
    const Entry *a = before.find("in/" + name), *b = after.find("in/" + name);
    if (a != nullptr && b != nullptr && a->sha256 != b->sha256) return "given input " + name;
  }
  if (before.tolerance != after.tolerance) {
    const auto shown = [](const std::string& text) { return text.empty() ? std::string("bound") : text; };
    return "limit " + shown(before.tolerance) + " -> " + shown(after.tolerance);
  }
  return before.max_diff != after.max_diff ? "max_diff" : "";
}

}  // namespace

std::vector<CaseChange> pending_changes(const fs::path& tree) {
  std::vector<CaseChange> changes;
  for (const std::string& pending : find_folders(tree).pending) {
    CaseChange change;
    change.folder = pending.substr(0, pending.size() - std::string(".new").size());
    const Manifest after = read_manifest(tree / pending);
    change.case_line = after.case_line;
    std::error_code error;
    if (!fs::exists(tree / change.folder, error)) {
      no_verdict_error((tree / pending).string() + ": is pending for a case that is not there; remove it");
    }
    const Manifest before = read_manifest(tree / change.folder);
    change.tensors = compare(tree / change.folder, before, tree / pending, after);
    change.cause = cause_of(before, after);
    changes.push_back(std::move(change));
  }
  return changes;
}

void accept(const fs::path& tree, const CaseChange& change, const std::string& reason, const std::string& tool) {
  const fs::path folder = tree / change.folder, pending = pending_of(folder);
  const Manifest after = read_manifest(pending);
  verify_stored(pending, after);
  const std::string old_hash = sha256_of(read_text(folder / "case.json"));
  std::vector<IndexEntry> index = read_index(tree);
  put(index, index_entry(after));
  // The accepted folder steps aside, so that at any moment one of the two is there whole.
  fs::path aside = folder;
  aside += ".old";
  std::error_code ignored;
  fs::remove_all(aside, ignored);
  move_folder(folder, aside);
  move_folder(pending, folder);
  write_index(tree, index);
  append_text(tree / "CHANGES.jsonl", change_line({{"case", change.case_line},
                                                   {"cause", change.cause.empty() ? "unknown" : change.cause},
                                                   {"new", sha256_of(to_json(after))},
                                                   {"old", old_hash},
                                                   {"reason", reason},
                                                   {"tool", tool}}));
  fs::remove_all(aside, ignored);
}

std::vector<std::string> prune(const fs::path& tree, bool remove) {
  std::set<std::string> listed;
  for (const IndexEntry& entry : read_index(tree)) listed.insert(entry.folder);
  const Folders folders = find_folders(tree);
  std::vector<std::string> unlisted;
  for (const std::string& folder : folders.cases) {
    if (!listed.contains(folder)) unlisted.push_back(folder);
  }
  for (const std::string& folder : folders.pending) {
    if (!listed.contains(folder.substr(0, folder.size() - 4))) unlisted.push_back(folder);
  }
  for (const std::string& folder : unlisted) {
    if (!remove) continue;
    std::error_code error;
    fs::remove_all(tree / folder, error);
    if (error) no_verdict_error((tree / folder).string() + ": cannot be removed: " + error.message());
  }
  return unlisted;
}

}  // namespace fusecheck::golden
