#include "golden/explain_failure.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "fusecheck/error.hpp"
#include "golden/tree.hpp"

namespace fusecheck::golden {
namespace {

namespace fs = std::filesystem;
using tensor::LayoutKind;
using tensor::MemoryLayout;

bool all_of(const Tensor& tensor, const std::function<bool(double)>& is) {
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    if (!is(tensor.at(i))) return false;
  }
  return true;
}

// The first tensor of the manifest with these bytes: recipes and truth before the emulation, itself never wrong.
std::string same_bytes(const Manifest& manifest, const Tensor& actual) {
  const std::string hash = sha256(actual);
  for (const Entry& entry : manifest.tensors) {
    if (entry.sha256 == hash && entry.dtype == actual.dtype()) return entry.name;
  }
  return {};
}

std::string another_case(const fs::path& folder, const Manifest& own, const Tensor& actual) {
  const std::optional<fs::path> tree = tree_of(folder);
  if (!tree) return {};
  for (const IndexEntry& entry : read_index(*tree)) {
    if (entry.case_line == own.case_line) continue;
    try {
      const Manifest other = read_manifest(*tree / entry.folder);
      const std::string name = same_bytes(other, actual);
      if (!name.empty()) return name + " of another case, " + other.case_line;
    } catch (const Error&) {
      continue;  // a broken neighbour has nothing to say here; golden check names it
    }
  }
  return {};
}

// The bytes as they came, and as they would be if they lay in another layout.
std::string misread(const Comparison& comparison, const std::string& output, const Layouts& layouts) {
  const Tensor& actual = comparison.request.actual.at(output);
  const MemoryLayout used = layout_for(layouts, output, actual.shape().size());
  const Tensor buffer = tensor::to_buffer(actual, used);
  for (const LayoutKind kind : {LayoutKind::nd, LayoutKind::nhwc, LayoutKind::nc1hwc0, LayoutKind::nz}) {
    for (const std::int64_t block : {0, 16}) {
      const MemoryLayout layout{kind, block};
      const bool blocked = kind == LayoutKind::nc1hwc0 || kind == LayoutKind::nz;
      if ((block != 0 && !blocked) || !tensor::fits(layout, actual.shape().size()) || layout == used) continue;
      if (element_count(tensor::buffer_shape(layout, actual.shape(), actual.dtype())) != buffer.size()) continue;
      tensor::FromBuffer read = tensor::from_buffer(buffer, layout, actual.shape(), output);
      if (!read.dirty.empty() || sha256(read.logical) == sha256(actual)) continue;
      CheckRequest again = comparison.request;
      again.actual = {{output, std::move(read.logical)}};
      again.require.clear();
      again.keep_tensors = false;
      const CheckReport report = check(again);
      for (const OutputReport& judged : report.sets.front().outputs) {
        if (judged.candidate != "actual" || judged.judgement.status != Status::pass) continue;
        const std::string read_as = used == MemoryLayout{} && actual.shape().size() == 4 ? "nchw" : to_text(used);
        return "a layout misread: the file is " + to_text(layout) + " (" +
               to_text(tensor::buffer_shape(layout, actual.shape(), actual.dtype())) + ") read as " + read_as +
               "; as " + to_text(layout) + " it passes: --layout " + output + "=" + to_text(layout);
      }
    }
  }
  return {};
}

std::string looks_like(const fs::path& folder, const Manifest& manifest, const Layouts& layouts,
                       const Comparison& comparison, const std::string& output) {
  const Tensor& actual = comparison.request.actual.at(output);
  if (all_of(actual, [](double v) { return std::isnan(v); })) return "every element is NaN";
  if (all_of(actual, [](double v) { return v == 0; })) return "every element is 0: the output was not written";
  const std::string here = same_bytes(manifest, actual);
  if (!here.empty()) return "bit for bit " + here + " of this case";
  const std::string there = another_case(folder, manifest, actual);
  if (!there.empty()) return "bit for bit " + there;
  return misread(comparison, output, layouts);
}

}  // namespace

void explain_failure(const fs::path& folder, const Manifest& manifest, const Layouts& layouts, Comparison& comparison) {
  for (OutputReport& output : comparison.report.sets.front().outputs) {
    if (output.candidate != "actual" || output.judgement.status != Status::fail) continue;
    const std::string line = looks_like(folder, manifest, layouts, comparison, output.output);
    std::vector<std::string>& lines = output.judgement.where.lines;
    if (!line.empty()) lines.insert(lines.begin(), line);
  }
}

}  // namespace fusecheck::golden
