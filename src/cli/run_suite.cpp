// fusecheck run SUITE
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <thread>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/interrupt.hpp"
#include "cli/kernel_flags.hpp"
#include "cli/progress.hpp"
#include "cli/results_output.hpp"
#include "fusecheck/error.hpp"
#include "plugin/process.hpp"
#include "plugin/temp_folder.hpp"
#include "report/version.hpp"
#include "suite/reports.hpp"
#include "suite/run.hpp"

namespace fusecheck::cli {
namespace {

namespace fs = std::filesystem;

const std::vector<Flag>& run_flags() {
  static const std::vector<Flag> flags = [] {
    std::vector<Flag> list = {
        {"--filter", "REGEX", true, false, "Cases", "only cases whose line has a match; several: any of them"},
        {"--exclude", "REGEX", true, false, "Cases", "no case whose line has a match"},
        {"--sample", "N", false, false, "Cases", "N cases, chosen by hash: a larger N only adds some"},
        {"--shard", "K/N|auto", false, false, "Cases", "one of N parts, by hash; auto: from the job's variables"},
        {"--target", "NAME", false, false, "Cases",
         "a chip of the kernel's contract, else of the suite: its model and recipe"},
        {"--output", "FILE", false, false, "Results", "one JSON line for each case", "-o"},
        {"--resume", "", false, false, "Results", "go on with FILE: skip the cases that it has"},
        {"--overwrite", "", false, false, "Results", "start again although FILE exists"},
        {"--jobs", "N", false, false, "Run", "cases at a time (all processors)", "-j"},
        {"--fail-fast", "", false, false, "Run", "no new case after the first failure"},
        {"--max-failures", "N", false, false, "Run", "no new case after N failures"},
        {"--simd", "auto|scalar|avx2|avx512", false, false, "Run", "force a path; the bits are the same on each"},
        {"--progress", "auto|plain|never", false, false, "Run", "on stderr (auto: a bar on a terminal)"},
    };
    for (const Flag& flag : kernel_flags()) list.push_back(flag);
    for (const Flag& flag : results_flags()) list.push_back(flag);
    return list;
  }();
  return flags;
}

std::size_t number(const Given& given, const std::string& flag, std::int64_t low, std::int64_t high) {
  const std::int64_t value = base::parse_integer(given.one(flag), flag);
  if (value < low || value > high) {
    usage_error(flag + " " + given.one(flag) + " is outside " + std::to_string(low) + ".." + std::to_string(high));
  }
  return static_cast<std::size_t>(value);
}

std::map<std::string, std::string> environment() {
  std::map<std::string, std::string> found;
  for (const std::string& name : suite::shard_variables()) {
    if (const char* value = std::getenv(name.c_str())) found[name] = value;
  }
  return found;
}

// Bazel wants to see that a test knows of shards.
void touch_shard_status() {
  if (const char* path = std::getenv("TEST_SHARD_STATUS_FILE")) std::ofstream(path, std::ios::app);
}

suite::FoundShard read_shard(const Given& given) {
  if (!given.has("--shard")) return {{}, ""};
  if (given.one("--shard") != "auto") return {suite::parse_shard(given.one("--shard")), ""};
  suite::FoundShard found = suite::find_shard(environment());
  touch_shard_status();
  return found;
}

ProgressKind read_progress(const Given& given) {
  const std::string kind = given.has("--progress") ? given.one("--progress") : "auto";
  if (kind == "never" || given.has("--quiet")) return ProgressKind::none;
  if (kind == "plain") return ProgressKind::plain;
  if (kind != "auto") usage_error("--progress " + base::quoted(kind) + " is none of auto, plain, never");
  return isatty(STDERR_FILENO) == 1 ? ProgressKind::bar : ProgressKind::plain;
}

// A file that goes with the run where nobody asked for one.
class ResultsPath {
 public:
  explicit ResultsPath(const Given& given) : kept_(given.has("--output")) {
    if (kept_) {
      path_ = given.one("--output");
      return;
    }
    path_ = (fs::temp_directory_path() / ("fusecheck-run-" + std::to_string(getpid()) + ".jsonl")).string();
  }
  ResultsPath(const ResultsPath&) = delete;
  ResultsPath& operator=(const ResultsPath&) = delete;
  ~ResultsPath() {
    std::error_code ignored;
    if (!kept_) fs::remove(path_, ignored);
  }
  const std::string& path() const { return path_; }
  bool kept() const { return kept_; }

 private:
  bool kept_;
  std::string path_;
};

volatile std::sig_atomic_t interrupted = 0;

// The first stops taking new cases; the second ends the process and the kernels that run. The results so far are in the
// file.
void on_interrupt(int signal) {
  if (interrupted != 0) {
    plugin::kill_running();
    plugin::remove_temp_folders();
    _exit(128 + signal);
  }
  interrupted = signal;
}

suite::ResultFile resumed(const std::string& path, const suite::RunHeader& header) {
  suite::ResultFile file = suite::scan_results(path);
  if (file.header != header) {
    usage_error("--resume: " + base::quoted_path(path) + " is of another run (" + file.header.suite + " " +
                file.header.selection.substr(0, 8) + " shard " + to_text(file.header.shard) + " by " +
                file.header.version + ", this is " + header.suite + " " + header.selection.substr(0, 8) + " shard " +
                to_text(header.shard) + " by " + header.version + "); name another --output");
  }
  return file;
}

struct Plan {
  Suite suite;
  std::vector<std::size_t> selected;
  std::vector<std::size_t> mine;  // indices into `selected` of this shard
  suite::RunHeader header;
  std::string shard_source;
  KernelChoice kernel;
};

Plan make_plan(Given& given) {
  if (given.words().empty()) {
    usage_error("run takes a SUITE: a file, or one of " + base::join(shipped_suites(), ", "));
  }
  Plan plan;
  const std::string target = given.has("--target") ? given.one("--target") : "";
  plan.kernel = take_kernel(given, target, TargetOf::contract_or_suite);
  plan.suite = read_suite(given.words()[0], has_target(plan.kernel, target) ? "" : target);
  suite::Selection selection{given.all("--filter"), given.all("--exclude"), std::nullopt};
  if (given.has("--sample")) selection.sample = number(given, "--sample", 1, std::int64_t{1} << 40);
  plan.selected = suite::select(plan.suite, selection);
  const suite::FoundShard shard = read_shard(given);
  plan.shard_source = shard.source;
  for (std::size_t i = 0; i < plan.selected.size(); ++i) {
    const std::string& id = plan.suite.cases[plan.selected[i]].id;
    if (suite::shard_of(id, shard.shard.count) == shard.shard.index) plan.mine.push_back(i);
  }
  plan.header = {report::version(),
                 plan.suite.name,
                 suite::selection_digest(plan.suite, plan.selected),
                 plan.selected.size(),
                 shard.shard,
                 target,
                 "emulation",
                 ""};
  if (plan.kernel.candidate) plan.header.kernel = plan.kernel.name;
  if (plan.kernel.contract) plan.header.contract = plan.kernel.contract->sha256;
  return plan;
}

suite::RunRequest make_request(const Given& given, const Plan& plan) {
  suite::RunRequest request{plan.suite, plan.selected};
  request.jobs = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 256U));
  if (given.has("--jobs")) request.jobs = static_cast<int>(number(given, "--jobs", 1, 1024));
  if (given.has("--simd")) request.simd = given.one("--simd");
  if (given.has("--max-failures")) request.max_failures = number(given, "--max-failures", 1, 1'000'000'000);
  if (given.has("--fail-fast")) request.max_failures = 1;
  request.today = read_today(given);
  const KernelChoice& kernel = plan.kernel;
  if (!kernel.candidate) return request;
  request.candidate = kernel.candidate;
  request.kernel_flags = kernel.flags;
  if (!kernel.contract) return request;
  request.kernel_reads = kernel.contract->saved;
  request.declare = [contract = *kernel.contract](CaseSpec& spec) { plugin::declare(contract, spec); };
  request.unsupported = [contract = *kernel.contract](const CaseSpec& spec) {
    return plugin::mismatch(contract, spec);
  };
  return request;
}

struct Ran {
  suite::ResultFile file;
  bool complete = false;  // nothing was left out
};

// Runs what is left to run; the file is then complete and sorted, or stays as it is for --resume.
Ran run_plan(const Given& given, const Plan& plan, suite::RunRequest request, const std::string& path, bool kept,
             std::ostream& err) {
  std::optional<suite::ResultFile> before;
  if (kept && fs::exists(path)) {
    if (given.has("--resume")) {
      before = resumed(path, plan.header);
    } else if (!given.has("--overwrite")) {
      usage_error("--output " + base::quoted_path(path) +
                  " exists; go on with it by --resume, or replace it by --overwrite");
    }
  }
  for (const std::size_t i : plan.mine) {
    if (!before || before->lines[i].offset < 0) request.todo.push_back(i);
  }
  std::string name = "suite " + plan.header.suite;
  if (plan.header.shard.count > 1) name += ", shard " + to_text(plan.header.shard);
  Progress progress(err, read_progress(given), name);
  std::size_t ended = 0;
  Ran ran;
  {
    suite::ResultWriter writer = before ? suite::ResultWriter(*before) : suite::ResultWriter(path, plan.header);
    const auto begin = std::chrono::steady_clock::now();
    const suite::Counts counts = suite::run_cases(request, writer, [&](const suite::Counts& so_far) {
      progress.update(so_far, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
      return interrupted == 0;
    });
    for (const auto& [status, cases] : counts.by_status) ended += cases;
    ran.file = writer.file();
  }
  progress.finish();
  ran.complete = ended == request.todo.size();
  if (ran.complete) ran.file = suite::write_sorted(path, plan.header, {ran.file});
  return ran;
}

}  // namespace

std::string run_help() {
  return "fusecheck run SUITE [flags]    a suite is a YAML or JSON file (docs/suites.md), or shipped: " +
         base::join(shipped_suites(), ", ") + "\n\n" + flags_text(run_flags());
}

int run_suite(const Words& words, std::ostream& out, std::ostream& err) {
  Given given = parse_flags(words, {"run", run_flags(), 1, "one SUITE"});
  const Plan plan = make_plan(given);
  const suite::RunRequest request = make_request(given, plan);
  if (plan.selected.empty()) {
    print(out, "NOTHING PROVEN  no case of suite " + plan.header.suite + " was selected\n");
    return 4;
  }
  if (!plan.shard_source.empty()) {
    err << "fusecheck: shard " << to_text(plan.header.shard) << " from " << plan.shard_source << "\n";
  }
  const ResultsPath results(given);
  kill_kernels_when_ended();
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  const auto [file, complete] = run_plan(given, plan, request, results.path(), results.kept(), err);
  write_reports(given, file, request.today);
  const int code = print_results(out, given, file, request.today, plan.mine.size(), complete);
  if (interrupted == 0) return code;
  err << "fusecheck: interrupted; " << file.count << " results are kept"
      << (results.kept() ? " in " + results.path() + ", go on with --resume\n" : " nowhere: there was no --output\n");
  return 128 + interrupted;
}

}  // namespace fusecheck::cli
