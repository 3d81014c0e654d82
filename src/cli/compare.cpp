// fusecheck compare ACTUAL GOLDEN: a file, a case folder or a tree of a kernel's outputs against golden data.
#include "golden/compare.hpp"

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <utility>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/golden_flags.hpp"
#include "fusecheck/error.hpp"
#include "golden/loose.hpp"
#include "golden/tree.hpp"
#include "report/report.hpp"
#include "report/text_parts.hpp"

namespace fusecheck::cli {
namespace {

namespace fs = std::filesystem;

struct Call {
  std::string actual, golden;
  golden::CompareOptions options;
  bool json = false;
  std::string flags;  // as given, for the repro line
};

Syntax syntax() {
  return {
      "compare",
      {{"--recipe", "NAME|any", false, false, "Judging", "how the kernel computes (the case's own, or any)"},
       {"--tol", "[NAME=]STANDARD", true, false, "Judging", "of all outputs, or of one: --tol y=ulp:4 (bound)"},
       {"--require", "NAME[,NAME...]", true, false, "Judging", "outputs that must be there"},
       {"--layout", "[NAME=]LAYOUT", true, false, "Files", "nchw, nhwc, nc1hwc0, nz, nd; of all of rank 4, or of one"},
       {"--dtype", "T", false, false, "Files", "what .bin files hold (the case's type)"},
       {"--top", "N", false, false, "Output", "worst elements shown (5)"},
       {"--tile", "N,N", false, false, "Output", "the kernel's tile on the last axes: says which tiles are bad"},
       {"--json", "", false, false, "Output", "fusecheck.result/1; of a tree one line a case"},
       threads_flag(),
       simd_flag()},
      2,
      "ACTUAL GOLDEN: a file, a case folder or a tree each"};
}

// "y=ulp:4" or "ulp:4". A name before the first '=' that is a word of letters, digits and '_'.
std::pair<std::string, std::string> split_name(const std::string& text) {
  const std::size_t sign = text.find('=');
  return sign == std::string::npos ? std::pair(std::string(), text)
                                   : std::pair(text.substr(0, sign), text.substr(sign + 1));
}

void read_judging(const Given& given, golden::CompareOptions& options) {
  options.judge.top = 5;
  if (given.has("--top")) options.judge.top = static_cast<int>(base::parse_integer(given.one("--top"), "--top"));
  if (options.judge.top < 0 || options.judge.top > 1000) usage_error("--top is outside 0..1000");
  if (given.has("--recipe")) options.recipe = given.one("--recipe");
  bool all = false;
  for (const std::string& text : given.all("--tol")) {
    const auto [name, standard] = split_name(text);
    const bool fresh = name.empty() ? !std::exchange(all, true) : !options.tolerances.contains(name);
    if (!fresh) usage_error("--tol of " + (name.empty() ? "all outputs" : name) + " is given twice; one limit decides");
    const Tolerance tolerance = parse_tolerance(standard);
    if (name.empty()) {
      options.tolerance = options.judge.tolerance = tolerance;  // the second is for two loose files
    } else {
      options.tolerances[name] = tolerance;
    }
  }
  for (const std::string& text : given.all("--require")) {
    for (const std::string& name : base::split(text, ',')) options.require.push_back(name);
  }
  for (const std::string& text : given.all("--layout")) {
    const auto [name, layout] = split_name(text);
    if (!options.layouts.emplace(name, tensor::parse_layout(layout)).second) {
      usage_error("--layout of " + (name.empty() ? "all tensors" : name) + " is given twice");
    }
  }
  if (given.has("--dtype")) options.dtype = parse_dtype(given.one("--dtype"));
  if (given.has("--tile")) options.judge.tile = parse_shape(given.one("--tile"));
}

Call read_call(const Words& words) {
  const Given given = parse_flags(words, syntax());
  if (given.words().size() != 2) usage_error("compare takes ACTUAL GOLDEN: a file, a case folder or a tree each");
  Call call{given.words()[0], given.words()[1], {}, given.has("--json"), ""};
  call.options.execution = execution_of(given);
  read_judging(given, call.options);
  for (const Flag& flag : syntax().flags) {
    if (flag.name == "--json") continue;
    for (const std::string& value : given.all(flag.name)) {
      call.flags += " " + flag.name + (flag.value.empty() ? "" : " " + base::shell_word(value));
    }
  }
  return call;
}

std::string repro(const Call& call, const fs::path& actual, const fs::path& golden) {
  return "fusecheck compare " + base::shell_word(actual.string()) + " " + base::shell_word(golden.string()) +
         call.flags;
}

int show(const Call& call, golden::Comparison& comparison, std::ostream& out, std::ostream& err) {
  CheckReport& report = comparison.report;
  const int code = exit_code(report.status);
  if (call.json) {
    print(out, report::json_report(report, comparison.request, code));
    err << report::verdict_line(report);
  } else {
    print(out, report::text_report(report, comparison.request));
  }
  return code;
}

int compare_one(const Call& call, const fs::path& case_folder, const golden::Manifest& manifest,
                const golden::Files& files, std::ostream& out, std::ostream& err) {
  golden::Comparison comparison = golden::compare_case(case_folder, manifest, files, call.options);
  comparison.report.repro = repro(call, call.actual, call.golden);
  return show(call, comparison, out, err);
}

Tensor read_loose(const std::string& path, const Call& call, const Tensor* golden) {
  const bool bin = fs::path(path).extension() == ".bin";
  Declared declared;
  declared.dtype = call.options.dtype;
  if (!bin && declared.dtype != DType::bf16) declared.dtype.reset();
  if (golden == nullptr) return read_tensor(path, declared);
  // The golden file says shape and type; the layout is the actual file's.
  const tensor::MemoryLayout layout = golden::layout_for(call.options.layouts, "", golden->shape().size());
  if (bin) declared = {golden->dtype(), tensor::buffer_shape(layout, golden->shape(), golden->dtype())};
  if (golden->dtype() == DType::bf16) declared.dtype = DType::bf16;
  const Tensor buffer = read_tensor(path, declared);
  if (layout == tensor::MemoryLayout{}) return buffer;
  tensor::FromBuffer read = tensor::from_buffer(buffer, layout, golden->shape(), path);
  if (!read.dirty.empty()) {
    usage_error(path + ": " + std::to_string(read.dirty.size()) + " padding lanes of " + tensor::to_text(layout) +
                " are not 0");
  }
  return std::move(read.logical);
}

int compare_files(const Call& call, std::ostream& out, std::ostream& err) {
  const Tensor truth = read_loose(call.golden, call, nullptr);
  const Tensor actual = read_loose(call.actual, call, &truth);
  const std::string name = fs::path(call.golden).stem().string();
  const CheckReport report = golden::compare_loose(name, actual, truth, call.options.judge);
  const int code = exit_code(report.status);
  CheckRequest request;
  request.judge = call.options.judge;
  if (call.json) {
    CheckReport named = report;
    named.repro = repro(call, call.actual, call.golden);
    print(out, report::json_report(named, request, code));
    err << report::verdict_line(report);
    return code;
  }
  std::string text = report::table_text(report) + "\n";
  if (report.status == Status::fail) text += report::failures_text(report);
  if (report.status == Status::weak) text += "zeros would pass this limit\n";
  if (report.status != Status::pass) text += "repro: " + repro(call, call.actual, call.golden) + "\n";
  print(out, text + report::verdict_line(report));
  return code;
}

// Of several codes the one that decides: 70 > 2 > 1 > 3 > 4 > 0 (docs/exit-codes.md).
int worse_code(int a, int b) {
  const std::vector<int> order = {70, 2, 1, 3, 4, 0};
  return *std::find_if(order.begin(), order.end(), [&](int code) { return code == a || code == b; });
}

// One case of a tree: a line, or a block where it fails.
int compare_listed(const Call& call, const golden::IndexEntry& entry, std::ostream& out, std::ostream& err) {
  const fs::path actual = fs::path(call.actual) / entry.folder, folder = fs::path(call.golden) / entry.folder;
  try {
    if (!fs::exists(actual)) no_verdict_error("missing: " + actual.string() + " holds no output of it");
    const golden::Manifest manifest = golden::read_listed(call.golden, entry);
    golden::Comparison comparison =
        golden::compare_case(folder, manifest, golden::outputs_in(actual, manifest), call.options);
    CheckReport& report = comparison.report;
    report.repro = repro(call, actual, folder);
    const int code = exit_code(report.status);
    if (call.json) {
      print(out, report::json_line(report, comparison.request, code));
      return code;
    }
    std::string text = report::verdict_line(report);
    text.insert(text.find("  ") + 2, entry.case_line + "  ");
    if (report.status == Status::fail) text += report::failures_text(report);
    if (report.status != Status::pass) text += "repro: " + report.repro + "\n";
    print(out, text);
    return code;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw;
    const int code = error.kind() == ErrorKind::usage ? 2 : 3;
    if (call.json) print(out, report::json_error_line(entry.case_line, code, error.what()));
    err << "fusecheck: case " << entry.case_line << ": " << error.what() << "\n";
    return code;
  }
}

int compare_tree(const Call& call, std::ostream& out, std::ostream& err) {
  const std::vector<golden::IndexEntry> index = golden::read_index(call.golden);
  if (!fs::is_directory(call.actual)) {
    no_verdict_error(call.actual + ": is no folder; " + call.golden + " is a tree, which needs a tree of outputs");
  }
  std::map<int, int> count;
  int code = index.empty() ? 4 : 0;
  for (const golden::IndexEntry& entry : index) {
    const int one = compare_listed(call, entry, out, err);
    ++count[one];
    code = worse_code(code, one);
  }
  const std::string line = std::to_string(index.size()) + " cases: " + std::to_string(count[0]) + " pass, " +
                           std::to_string(count[1]) + " fail, " + std::to_string(count[4]) + " weak, " +
                           std::to_string(count[2] + count[3]) + " without a verdict\n";
  if (call.json) {
    err << line;
  } else {
    print(out, line);
  }
  return code;
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

// A single file of the kernel against a case: "NAME=FILE", or a file named after the output.
golden::Files named_file(const std::string& text, const std::string& output_of_golden) {
  const auto [name, path] = split_name(text);
  if (!name.empty() && name.find('/') == std::string::npos) return {{name, path}};
  return {{output_of_golden.empty() ? fs::path(text).stem().string() : output_of_golden, text}};
}

}  // namespace

std::string compare_help() {
  return "fusecheck compare ACTUAL GOLDEN: a kernel's outputs (a file, a case folder or a tree) against golden "
         "data\n\n" +
         flags_text(syntax().flags);
}

int compare(const Words& words, std::ostream& out, std::ostream& err) {
  const Call call = read_call(words);
  const fs::path golden_path(call.golden);
  if (!fs::exists(golden_path)) no_verdict_error(call.golden + ": no such file or folder");
  if (is_folder(call.golden)) {
    if (!fs::exists(golden_path / "case.json")) return compare_tree(call, out, err);
    const golden::Manifest manifest = golden::trusted_manifest(golden_path);
    const golden::Files files =
        is_folder(call.actual) ? golden::outputs_in(call.actual, manifest) : named_file(call.actual, "");
    return compare_one(call, golden_path, manifest, files, out, err);
  }
  const std::optional<fs::path> case_folder = golden::case_of_file(golden_path);
  if (!case_folder) return compare_files(call, out, err);
  return compare_one(call, *case_folder, golden::trusted_manifest(*case_folder),
                     named_file(call.actual, golden_path.stem().string()), out, err);
}

}  // namespace fusecheck::cli
