// fusecheck golden export: cases of a tree as files for boards, test kits and other runtimes.
#include <algorithm>
#include <filesystem>
#include <ostream>

#include "base/text.hpp"
#include "cli/golden_flags.hpp"
#include "fusecheck/error.hpp"
#include "golden/export.hpp"
#include "golden/files.hpp"
#include "golden/tree.hpp"

namespace fusecheck::cli {
namespace {

namespace fs = std::filesystem;

Syntax syntax() {
  return {
      "golden export",
      {{"--format", "npy|ascendc|ttk|onnx", false, false, "Output", "(npy)"},
       {"--layout", "[NAME=]LAYOUT", true, false, "Output", "nchw, nhwc, nc1hwc0, nz, nd; of all of rank 4, or of one"},
       {"--recipe", "NAME", false, false, "Case", "whose truth is golden (epilogue)"},
       {"--case", "LINE", true, false, "Case", "of the tree (all)"},
       output_flag(),
       threads_flag(),
       simd_flag()},
      1,
      "the folder of a tree or of a case"};
}

// The case folders that the command names, in the order of the index.
std::vector<fs::path> folders_of(const fs::path& place, const std::vector<std::string>& lines) {
  if (fs::exists(place / "case.json")) {
    if (!lines.empty()) usage_error("golden export: " + place.string() + " is one case; leave out --case");
    return {place};
  }
  std::vector<fs::path> folders;
  std::vector<std::string> known;
  for (const golden::IndexEntry& entry : golden::read_index(place)) {
    known.push_back(entry.case_line);
    if (lines.empty() || std::find(lines.begin(), lines.end(), entry.case_line) != lines.end()) {
      folders.push_back(place / entry.folder);
    }
  }
  for (const std::string& line : lines) {
    if (std::find(known.begin(), known.end(), line) == known.end()) {
      no_verdict_error("golden export: " + place.string() + " has no case " + line + base::hint(line, known));
    }
  }
  if (folders.empty()) no_verdict_error("golden export: " + place.string() + " has no case");
  return folders;
}

golden::ExportOptions options_of(const Given& given) {
  golden::ExportOptions options;
  options.execution = execution_of(given);
  const std::vector<std::string> formats = {"npy", "ascendc", "ttk", "onnx"};
  if (given.has("--format")) options.format = given.one("--format");
  if (std::find(formats.begin(), formats.end(), options.format) == formats.end()) {
    usage_error("--format " + base::quoted(options.format) + " is none of " + base::join(formats, ", ") +
                base::hint(options.format, formats));
  }
  if (given.has("--recipe")) options.recipe = given.one("--recipe");
  for (const std::string& text : given.all("--layout")) {
    const std::size_t sign = text.find('=');
    const std::string name = sign == std::string::npos ? "" : text.substr(0, sign);
    if (!options.layouts.emplace(name, tensor::parse_layout(text.substr(sign == std::string::npos ? 0 : sign + 1)))
             .second) {
      usage_error("--layout of " + (name.empty() ? "all tensors" : name) + " is given twice");
    }
  }
  if (options.format == "onnx" && !options.layouts.empty()) {
    usage_error("--layout: tensors of ONNX are nchw; leave it out with --format onnx");
  }
  return options;
}

}  // namespace

int golden_export(const Words& words, std::ostream& out) {
  const Given given = parse_flags(words, syntax());
  if (!given.has("--output")) usage_error("golden export: -o DIR is missing: where to write");
  const golden::ExportOptions options = options_of(given);
  const fs::path target = given.one("--output");
  std::error_code ignored;
  if (fs::exists(target, ignored)) no_verdict_error(target.string() + ": is there already; name a new folder");
  const std::vector<fs::path> folders = folders_of(tree_of(given), given.all("--case"));
  golden::Unfinished work(target);
  std::string csv = golden::ttk_csv_heading();
  for (const fs::path& folder : folders) {
    const golden::ExportedCase exported = golden::prepare_export(folder, options);
    const fs::path place = work.path() / golden::folder_of(parse_case(exported.manifest.case_line));
    if (options.format == "npy") golden::export_npy(exported, place);
    if (options.format == "ascendc") golden::export_ascendc(exported, place);
    if (options.format == "onnx") golden::export_onnx(exported, place);
    if (options.format != "ttk") continue;
    for (const std::string& line : golden::export_ttk(exported, work.path() / "manual_data")) csv += line;
  }
  if (options.format == "ttk") {
    golden::write_text(work.path() / "cases.csv", csv);
    golden::write_text(work.path() / "SHA256SUMS", golden::hash_list(work.path()));
  }
  work.finish();
  const std::string scope = options.format == "onnx" ? "; forward only, gradients are no part of an ONNX export" : "";
  print(out, std::to_string(folders.size()) + (folders.size() == 1 ? " case" : " cases") + " exported as " +
                 options.format + " to " + target.string() + scope + "\n");
  return 0;
}

}  // namespace fusecheck::cli
