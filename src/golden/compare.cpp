#include "golden/compare.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/registry.hpp"
#include "golden/explain_failure.hpp"
#include "golden/files.hpp"
#include "golden/tree.hpp"

namespace fusecheck::golden {
namespace {

namespace fs = std::filesystem;

void require_same(const Manifest& manifest, const std::string& name, const Tensor& derived) {
  const Entry* entry = manifest.find(name);
  if (entry == nullptr) no_verdict_error("golden case " + manifest.case_line + ": case.json lacks tensor " + name);
  const std::string found = sha256(derived);
  if (found == entry->sha256) return;
  no_verdict_error("golden case " + manifest.case_line + ": " + name + " derives to SHA-256 " + found.substr(0, 8) +
                   "..., case.json says " + entry->sha256.substr(0, 8) +
                   "...; the case was made by another version: see 'fusecheck golden check'");
}

// What check() drew and computed is what the golden case holds.
void require_derivation(const Manifest& manifest, const CheckReport& report, bool any_recipe) {
  for (const auto& [name, tensor] : report.sets.front().tensors) {
    if (name.starts_with("inputs.")) require_same(manifest, "in/" + name.substr(7), tensor);
    // The schedule that the emulation follows is among the case's recipes unless --recipe chose another.
    const std::string truth = "recipe/" + report.recipe + "/truth/";
    if (any_recipe && name.starts_with("truth.")) require_same(manifest, truth + name.substr(6), tensor);
  }
}

void mark_padding(CheckReport& report, const std::map<std::string, std::string>& padding) {
  for (OutputReport& output : report.sets.front().outputs) {
    const auto found = padding.find(output.output);
    if (output.candidate != "actual" || found == padding.end()) continue;
    Judgement& judgement = output.judgement;
    judgement.reason = found->second + (judgement.reason.empty() ? "" : "; " + judgement.reason);
    judgement.status = Status::fail;
    report.status = Status::fail;
  }
}

std::vector<std::string> missing_of(const std::vector<std::string>& all, const Tensors& given) {
  std::vector<std::string> missing;
  for (const std::string& name : all) {
    if (!given.contains(name)) missing.push_back(name);
  }
  return missing;
}

}  // namespace

Comparison compare_case(const fs::path& folder, const Manifest& manifest, const Files& files,
                        const CompareOptions& options) {
  verify_stored(folder, manifest);
  CheckRequest request{parse_case(manifest.case_line)};
  if (options.recipe) request.spec.recipe = *options.recipe;
  request.inputs = given_inputs(folder, manifest);
  request.judge = options.judge;
  if (options.tolerance) {
    request.judge.tolerance = *options.tolerance;
  } else if (!manifest.tolerance.empty()) {
    request.judge.tolerance = parse_tolerance(manifest.tolerance);
  }
  request.max_diff = manifest.max_diff;
  request.tolerances = options.tolerances;
  request.require = options.require;
  request.threads = options.execution.threads;
  request.simd = options.execution.simd;
  request.keep_tensors = true;

  const std::vector<std::string> outputs = output_names(request.spec);
  for (const auto& [output, tolerance] : options.tolerances) {
    if (std::find(outputs.begin(), outputs.end(), output) == outputs.end()) {
      usage_error("--tol " + output + "=...: the case gives " + base::join(outputs, ", ") +
                  base::hint(output, outputs));
    }
  }
  const CaseInfo info = case_info(request.spec);
  std::map<std::string, std::string> padding;
  for (const auto& [output, file] : files) {
    if (std::find(outputs.begin(), outputs.end(), output) == outputs.end()) {
      usage_error(base::quoted_path(file.string()) + ": " + base::quoted(output) +
                  " is no output of the case; it gives " + base::join(outputs, ", ") + base::hint(output, outputs));
    }
    const tensor::MemoryLayout layout = layout_for(options.layouts, output, info.shapes.at(output).size());
    ReadOutput read = read_output(file, output, info, layout, options.dtype);
    if (!read.padding.empty()) padding[output] = output + ": " + read.padding;
    request.actual[output] = std::move(read.tensor);
  }
  if (request.actual.empty()) {
    no_verdict_error("no output of case " + manifest.case_line + " is given; it has " + base::join(outputs, ", "));
  }
  CheckReport report = check(request);
  Comparison comparison{std::move(request), std::move(report)};
  require_derivation(manifest, comparison.report, !options.recipe);
  mark_padding(comparison.report, padding);
  const std::vector<std::string> missing = missing_of(outputs, comparison.request.actual);
  if (!missing.empty()) comparison.report.notes.push_back("not given, not judged: " + base::join(missing, ", "));
  if (comparison.report.status == Status::fail) explain_failure(folder, manifest, options.layouts, comparison);
  return comparison;
}

Files outputs_in(const fs::path& folder, const Manifest& manifest) {
  const Files files = find_outputs(folder, output_names(parse_case(manifest.case_line)));
  std::error_code error;
  const fs::path done = folder / "DONE";
  if (fs::exists(done, error)) {
    const std::string text = read_text(done), wanted = sha256_of(to_json(manifest));
    if (!text.starts_with(wanted)) {
      no_verdict_error(folder.string() + ": stale: its DONE names case.json " + base::quoted(text.substr(0, 8)) +
                       "..., the golden case's is " + wanted.substr(0, 8) + "...; run the kernel on this case again");
    }
  }
  if (files.empty()) {
    no_verdict_error(folder.string() + ": holds none of " +
                     base::join(output_names(parse_case(manifest.case_line)), ", ") + " as .npy or .bin, case " +
                     manifest.case_line);
  }
  return files;
}

std::optional<fs::path> case_of_file(const fs::path& file) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(file, error);
  fs::path folder = whole.parent_path();
  for (int up = 0; !error && up < 5 && folder.has_relative_path(); ++up, folder = folder.parent_path()) {
    if (fs::exists(folder / "case.json", error)) return folder;
  }
  return std::nullopt;
}

}  // namespace fusecheck::golden
