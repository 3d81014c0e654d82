// fusecheck golden make|check|diff|accept|list|prune: the life of golden data (docs/golden.md).
#include <algorithm>
#include <cstdlib>
#include <ostream>

#include "base/text.hpp"
#include "cli/golden_flags.hpp"
#include "fusecheck/error.hpp"
#include "golden/make.hpp"
#include "golden/review.hpp"
#include "report/format.hpp"
#include "report/version.hpp"

namespace fusecheck::cli {
namespace {

using report::grouped;

std::string kilobytes(std::int64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + " B";
  if (bytes < 1'000'000) return report::short_number(static_cast<double>(bytes) / 1e3) + " KB";
  return report::short_number(static_cast<double>(bytes) / 1e6) + " MB";
}

std::string plural(std::int64_t count, const std::string& word) {
  return grouped(count) + " " + word + (count == 1 ? "" : "s");
}

Syntax make_syntax() {
  Syntax syntax{"golden make", case_flags(), 0, ""};
  for (Flag& flag : syntax.flags) flag.repeatable = flag.repeatable || flag.name == "--case";
  syntax.flags.push_back({"--cases", "FILE", true, false, "Case", "a case line each; # starts a comment"});
  syntax.flags.push_back({"--suite", "NAME|FILE", true, false, "Case", "the cases of a suite"});
  syntax.flags.push_back({"--samples", "", false, false, "Output", "256 elements of each tensor that is not stored"});
  for (const Flag& flag : limit_and_input_flags()) syntax.flags.push_back(flag);
  for (const Flag& flag : {output_flag(), threads_flag(), simd_flag()}) syntax.flags.push_back(flag);
  return syntax;
}

int make(const Words& words, std::ostream& out) {
  const Given given = parse_flags(words, make_syntax());
  const std::vector<golden::MakeRequest> cases = cases_of(given);
  const std::string tree = given.has("--output") ? given.one("--output") : "golden";
  std::int64_t tensors = 0, bytes = 0, files = 0, stored = 0, count[3] = {};
  std::vector<golden::IndexEntry> index = golden::read_index(tree, true);
  for (const golden::MakeRequest& one : cases) {
    const golden::MakeResult made = golden::make_case(tree, index, one, execution_of(given), given.has("--samples"));
    tensors += made.tensors;
    bytes += made.bytes;
    files += made.stored_tensors;
    stored += made.stored;
    ++count[static_cast<int>(made.made)];
    if (made.made == golden::Made::changed) print(out, "changed  " + made.case_line + "\n");
  }
  golden::write_index(tree, index);
  print(out, plural(std::ssize(cases), "case") + ", " + plural(tensors, "tensor") + ", " + kilobytes(bytes) +
                 " of tensor data; " + plural(files, "file") + " of " + kilobytes(stored) + " hold what is stored\n" +
                 "derived twice, with 1 and more threads: every hash equal\n" + "new " + grouped(count[0]) +
                 ", unchanged " + grouped(count[1]) + ", changed " + grouped(count[2]) +
                 (count[2] > 0 ? " (pending: 'fusecheck golden diff " + tree + "')" : "") + "\n");
  return 0;
}

// Of several problems the gravest decides: 2 before 3 (docs/exit-codes.md).
int code_of(const std::vector<golden::Problem>& problems) {
  int code = 0;
  for (const golden::Problem& problem : problems) {
    if (problem.kind == ErrorKind::usage) code = 2;
    if (problem.kind == ErrorKind::no_verdict && code == 0) code = 3;
  }
  return code;
}

int check(const Words& words, std::ostream& out, std::ostream& err) {
  const Given given = parse_flags(words, {"golden check", {threads_flag(), simd_flag()}, 1, "the folder of the tree"});
  const golden::CheckResult result = golden::check_tree(tree_of(given), execution_of(given));
  for (const golden::Problem& problem : result.problems) err << "fusecheck: " << problem.text << "\n";
  for (const std::string& note : result.notes) err << "fusecheck: note: " << note << "\n";
  if (result.problems.empty()) {
    print(out, "PASS  " + plural(result.cases, "case") + ", " + plural(result.tensors, "tensor") +
                   ": every hash derived again and equal\n");
  }
  return code_of(result.problems);
}

std::string change_text(const golden::TensorChange& change) {
  if (!change.what.empty()) return change.name + "  " + change.what;
  return change.name + "  " + grouped(change.changed) + " of " + grouped(change.elements) +
         " elements changed, max ULP " + report::ulp_text(change.max_ulp);
}

std::string change_text(const golden::CaseChange& change) {
  std::string text = change.case_line + "\n";
  for (const golden::TensorChange& tensor : change.tensors) text += "    " + change_text(tensor) + "\n";
  if (change.tensors.empty()) text += "    no tensor; case.json differs\n";
  return text + "    cause: " + (change.cause.empty() ? "unknown, no version differs << look at this" : change.cause) +
         "\n";
}

int diff(const Words& words, std::ostream& out) {
  const Given given = parse_flags(words, {"golden diff", {}, 1, "the folder of the tree"});
  golden::read_index(tree_of(given));
  const std::vector<golden::CaseChange> changes = golden::pending_changes(tree_of(given));
  for (const golden::CaseChange& change : changes) print(out, change_text(change));
  print(out, std::to_string(changes.size()) + " pending" +
                 (changes.empty() ? "" : "; 'fusecheck golden accept --case LINE --reason TEXT' takes one over") +
                 "\n");
  return changes.empty() ? 0 : 1;
}

int accept(const Words& words, std::ostream& out) {
  const char* ci = std::getenv("CI");
  if (ci != nullptr && *ci != '\0') {
    usage_error("golden accept: refused in CI (CI is set); accept where a person reviews the diff");
  }
  const std::vector<Flag> flags = {{"--case", "LINE", true, false, "", ""},
                                   {"--all", "", false, false, "", ""},
                                   {"--yes", "", false, false, "", ""},
                                   {"--reason", "TEXT", false, false, "", ""}};
  const Given given = parse_flags(words, {"golden accept", flags, 1, "the folder of the tree"});
  const std::string tree = tree_of(given);
  if (!given.has("--reason")) usage_error("golden accept: --reason TEXT is missing; it is logged in CHANGES.jsonl");
  if (given.has("--all") == given.has("--case")) {
    usage_error("golden accept: name what to accept, with --case LINE (repeatable) or with --all");
  }
  std::vector<golden::CaseChange> changes = golden::pending_changes(tree);
  std::vector<golden::CaseChange> wanted;
  std::vector<std::string> lines;
  for (const golden::CaseChange& change : changes) lines.push_back(change.case_line);
  for (const std::string& line : given.all("--case")) {
    const auto found = std::find(lines.begin(), lines.end(), line);
    if (found == lines.end()) no_verdict_error("golden accept: no pending case " + line + base::hint(line, lines));
    wanted.push_back(changes[static_cast<std::size_t>(found - lines.begin())]);
  }
  if (given.has("--all")) wanted = changes;
  constexpr std::size_t many = 20;
  if (wanted.empty()) no_verdict_error("golden accept: " + tree + " has no pending case");
  if (wanted.size() > many && !given.has("--yes")) {
    usage_error("golden accept: " + std::to_string(wanted.size()) + " cases at once; look at the diff, then add --yes");
  }
  for (const golden::CaseChange& change : wanted) {
    golden::accept(tree, change, given.one("--reason"), report::version());
    print(out, "accepted " + change.case_line + "\n");
  }
  print(out, "accepted " + std::to_string(wanted.size()) + " (logged in " + tree + "/CHANGES.jsonl); " +
                 std::to_string(changes.size() - wanted.size()) + " still pending\n");
  return 0;
}

int show(const Words& words, std::ostream& out) {
  const Given given = parse_flags(words, {"golden list", {}, 1, "the folder of the tree"});
  const std::vector<golden::IndexEntry> index = golden::read_index(tree_of(given));
  report::Table table({"case", "tensors", "stored", "folder"},
                      {report::Align::left, report::Align::right, report::Align::right, report::Align::left});
  for (const golden::IndexEntry& entry : index) {
    table.add({entry.case_line, grouped(entry.tensors), kilobytes(entry.stored_bytes), entry.folder});
  }
  print(out, table.text(""));
  return index.empty() ? 4 : 0;
}

int prune(const Words& words, std::ostream& out) {
  const Given given =
      parse_flags(words, {"golden prune", {{"--yes", "", false, false, "", ""}}, 1, "the folder of the tree"});
  const bool remove = given.has("--yes");
  const std::vector<std::string> folders = golden::prune(tree_of(given), remove);
  for (const std::string& folder : folders) print(out, (remove ? "removed " : "would remove ") + folder + "\n");
  print(out, plural(std::ssize(folders), "folder") + " without a line in index.json" +
                 (folders.empty() || remove ? "" : "; --yes removes them") + "\n");
  return 0;
}

}  // namespace

std::string golden_help() {
  return "fusecheck golden make CASES -o DIR        derive golden data; a changed case waits beside the accepted one\n"
         "fusecheck golden check [DIR]              derive all of it again and compare every hash\n"
         "fusecheck golden diff [DIR]               what waits, how many elements changed, and why\n"
         "fusecheck golden accept [DIR] --case LINE|--all --reason TEXT [--yes]\n"
         "fusecheck golden export DIR|CASE -o DIR   files for boards without fusecheck:\n"
         "                                          --format npy|ascendc|ttk|onnx --layout [NAME=]LAYOUT --recipe "
         "NAME\n"
         "fusecheck golden list [DIR]\n"
         "fusecheck golden prune [DIR] [--yes]      remove folders that index.json does not name\n\n"
         "CASES: the flags of a case, or\n\n" +
         flags_text(make_syntax().flags);
}

int golden(const Words& words, std::ostream& out, std::ostream& err) {
  const std::vector<std::string> commands = {"make", "check", "diff", "accept", "export", "list", "prune"};
  if (words.empty()) usage_error("golden takes one of " + base::join(commands, ", "));
  const Words rest(words.begin() + 1, words.end());
  if (words[0] == "make") return make(rest, out);
  if (words[0] == "check") return check(rest, out, err);
  if (words[0] == "diff") return diff(rest, out);
  if (words[0] == "accept") return accept(rest, out);
  if (words[0] == "export") return golden_export(rest, out);
  if (words[0] == "list") return show(rest, out);
  if (words[0] == "prune") return prune(rest, out);
  usage_error("golden has no command " + base::quoted(words[0]) + "; it takes one of " + base::join(commands, ", ") +
              base::hint(words[0], commands));
}

}  // namespace fusecheck::cli
