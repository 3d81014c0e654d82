#include "golden/make.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "golden/files.hpp"
#include "golden/samples.hpp"
#include "golden/tree.hpp"

namespace fusecheck::golden {
namespace {

namespace fs = std::filesystem;

MakeResult result_of(const GoldenCase& golden, const std::string& folder) {
  MakeResult result;
  result.case_line = golden.manifest.case_line;
  result.folder = folder;
  std::set<std::string> files;
  for (const Entry& entry : golden.manifest.tensors) {
    ++result.tensors;
    result.bytes += element_count(entry.shape) * static_cast<std::int64_t>(size_of(entry.dtype));
    if (!entry.file.empty()) files.insert(entry.file);
  }
  result.stored_tensors = std::ssize(files);
  result.stored = stored_bytes(golden.manifest);
  return result;
}

// The first tensor in which two derivations differ.
std::string first_difference(const Manifest& a, const Manifest& b) {
  for (const Entry& entry : a.tensors) {
    const Entry* other = b.find(entry.name);
    if (other == nullptr || other->sha256 != entry.sha256) return entry.name;
  }
  return "case.json";
}

void write_with_samples(const GoldenCase& golden, const fs::path& folder, bool samples) {
  write_case(golden, folder);
  if (samples) write_samples(golden, folder);
}

// What the stored case and its derivation do not agree on, named.
void compare_derivation(const Manifest& stored, const Manifest& derived) {
  const std::string name = "golden case " + stored.case_line + ": ";
  for (const auto& [what, version] : derived.versions) {
    const auto found = stored.versions.find(what);
    if (found != stored.versions.end() && found->second == version) continue;
    no_verdict_error(name + "made under " + what + " " + (found == stored.versions.end() ? "none" : found->second) +
                     ", this is " + version +
                     "; run 'fusecheck golden make', then review with 'fusecheck golden diff'");
  }
  for (const Entry& entry : derived.tensors) {
    const Entry* held = stored.find(entry.name);
    if (held == nullptr) no_verdict_error(name + "lacks tensor " + entry.name + ", which the case derives to");
    if (held->sha256 != entry.sha256) {
      no_verdict_error(name + "tensor " + entry.name + " derives to SHA-256 " + entry.sha256.substr(0, 8) +
                       "..., case.json says " + held->sha256.substr(0, 8) + "...");
    }
  }
  if (!(stored == derived)) {
    no_verdict_error(name + "case.json differs from its derivation beside the hashes (limits, attributes or files)");
  }
}

}  // namespace

MakeResult make_case(const fs::path& tree, std::vector<IndexEntry>& index, const MakeRequest& request,
                     const Execution& execution, bool samples) {
  GoldenCase golden = derive(request.spec, {1, execution.simd}, request.given);
  const GoldenCase again = derive(request.spec, {std::max(2, execution.threads), execution.simd}, request.given);
  if (!(golden.manifest == again.manifest)) {
    internal_error("case " + golden.manifest.case_line + " derives to other bits with more threads, first in " +
                   first_difference(golden.manifest, again.manifest));
  }
  if (request.tolerance != Tolerance{}) golden.manifest.tolerance = to_text(request.tolerance);
  golden.manifest.max_diff = request.max_diff;
  const IndexEntry entry = index_entry(golden.manifest);
  const fs::path folder = tree / entry.folder, pending = pending_of(folder);
  MakeResult result = result_of(golden, entry.folder);
  std::error_code error;
  if (!fs::exists(folder, error)) {
    write_with_samples(golden, folder, samples);
    put(index, entry);
    return result;
  }
  fs::remove_all(pending, error);  // of an earlier run: this one is newer
  if (error) no_verdict_error(pending.string() + ": cannot be replaced: " + error.message());
  result.made = Made::unchanged;
  if (read_text(folder / "case.json") == to_json(golden.manifest)) {
    put(index, entry);
    if (samples) write_samples(golden, folder);
    return result;
  }
  write_with_samples(golden, pending, samples);
  result.made = Made::changed;
  result.folder = entry.folder + ".new";
  return result;
}

CheckResult check_tree(const fs::path& tree, const Execution& execution) {
  CheckResult result;
  const std::vector<IndexEntry> index = read_index(tree);
  if (index.empty())
    result.problems.push_back({ErrorKind::no_verdict, tree.string() + ": its index.json lists no case"});
  std::vector<std::string> listed;
  for (const IndexEntry& entry : index) {
    listed.push_back(entry.folder);
    ++result.cases;
    try {
      const Manifest manifest = read_listed(tree, entry);
      verify_stored(tree / entry.folder, manifest);
      const GoldenCase derived = derive_again(tree / entry.folder, manifest, execution);
      compare_derivation(manifest, derived.manifest);
      check_samples(derived, tree / entry.folder);
      result.tensors += std::ssize(manifest.tensors);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
      result.problems.push_back({error.kind(), error.what()});
    }
  }
  const Folders folders = find_folders(tree);
  for (const std::string& folder : folders.cases) {
    if (std::find(listed.begin(), listed.end(), folder) == listed.end()) {
      result.notes.push_back(folder + " is not in index.json ('fusecheck golden prune' removes it)");
    }
  }
  for (const std::string& folder : folders.pending) {
    result.notes.push_back(folder + " is pending ('fusecheck golden diff')");
  }
  return result;
}

}  // namespace fusecheck::golden
