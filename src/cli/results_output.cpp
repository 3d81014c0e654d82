#include "cli/results_output.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "fusecheck/error.hpp"
#include "report/format.hpp"
#include "suite/dates.hpp"
#include "suite/reports.hpp"

namespace fusecheck::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_failures_shown = 100;  // the file has them all

using Write = void (*)(std::ostream&, const suite::ResultFile&, const suite::ReportOptions&);

// Streams into the file: a report of a large run does not fit in memory twice.
void write_report(const std::string& path, const suite::ResultFile& file, const suite::ReportOptions& options,
                  Write write) {
  const std::string beside = path + ".unfinished";
  std::ofstream stream(beside, std::ios::binary | std::ios::trunc);
  write(stream, file, options);
  stream.close();
  std::error_code error;
  if (stream) fs::rename(beside, path, error);
  if (!stream || error) {
    std::error_code ignored;
    fs::remove(beside, ignored);
    no_verdict_error(base::quoted_path(path) + " cannot be written");
  }
}

std::string upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

std::string whole(std::size_t count) { return report::grouped(static_cast<std::int64_t>(count)); }

std::string case_lines(const suite::CaseRecord& record, const std::string& status) {
  std::string word = upper(status);
  word.resize(std::max<std::size_t>(word.size(), 5), ' ');
  std::string text = word + "  " + record.id + "\n";
  if (record.known_failure) {
    const bool expired = status == "fail";
    text += "       known failure, " + record.known_failure->owner + ": " + record.known_failure->reason +
            (expired ? "; expired on " : "; until ") + record.known_failure->expires + "\n";
  }
  if (!record.reason.empty()) text += "       " + record.reason + "\n";
  if (!record.repro.empty()) text += "       repro: " + record.repro + "\n";
  return text;
}

// "FAIL  3 of 300 cases": the word for the exit code, then what it rests on.
std::string verdict(const suite::Counts& counts, int code, std::size_t present, std::size_t expected) {
  if (expected == 0) return "EMPTY  no case of the suite falls into this shard";
  const std::string of = " of " + whole(expected) + (expected == 1 ? " case" : " cases");
  const std::string ran = present < expected ? "; " + whole(present) + of + " ran" : "";
  const std::size_t failed = counts.of("fail") + counts.of("xpass");
  if (code == 70) return "INTERNAL ERROR  in " + whole(counts.errors.at("internal")) + of + ran;
  if (code == 2) return "ERROR  " + whole(counts.errors.at("usage")) + of + " do not fit together" + ran;
  if (code == 1) return "FAIL  " + whole(failed) + of + ran;
  if (code == 3 && counts.of("error") > 0) return "NO VERDICT  on " + whole(counts.of("error")) + of + ran;
  if (code == 3) return "NO VERDICT  " + whole(present) + of + " ran";
  if (code == 4) return "NOTHING PROVEN  none" + of + " passed" + ran;
  std::string text = "PASS  " + whole(counts.of("pass")) + of;
  if (counts.of("weak") > 0) text += ", " + whole(counts.of("weak")) + " weak (they prove nothing)";
  for (const char* status : {"skip", "xfail"}) {
    if (counts.of(status) > 0) text += ", " + whole(counts.of(status)) + " " + status;
  }
  return text + ran;
}

}  // namespace

const std::vector<Flag>& results_flags() {
  static const std::vector<Flag> flags = {
      {"--junit", "FILE", false, false, "Reports", "JUnit XML"},
      {"--csv", "FILE", false, false, "Reports", "a line for each output of each data set"},
      {"--markdown", "FILE", false, false, "Reports", "counts and failures, for a merge request"},
      {"--today", "DATE", false, false, "Reports", "the day on which known failures count (the system's, UTC)"},
      {"--verbose", "", false, false, "Reports", "cases that passed, too", "-v"},
      {"--quiet", "", false, false, "Reports", "failures and the last line", "-q"},
  };
  return flags;
}

std::string read_today(const Given& given) {
  if (!given.has("--today")) return suite::date_of_today();
  if (!suite::is_date(given.one("--today"))) {
    usage_error("--today " + base::quoted(given.one("--today")) + " is not a date, as in 2027-01-31");
  }
  return given.one("--today");
}

void write_file(const std::string& path, const std::string& text) {
  const std::string beside = path + ".unfinished";
  std::ofstream stream(beside, std::ios::binary | std::ios::trunc);
  stream << text;
  stream.close();
  std::error_code error;
  if (stream) fs::rename(beside, path, error);
  if (stream && !error) return;
  std::error_code ignored;
  fs::remove(beside, ignored);
  no_verdict_error(base::quoted_path(path) + " cannot be written");
}

void write_reports(const Given& given, const suite::ResultFile& file, const std::string& today) {
  const suite::ReportOptions options{today};
  if (given.has("--junit")) write_report(given.one("--junit"), file, options, suite::write_junit);
  if (given.has("--csv")) write_report(given.one("--csv"), file, options, suite::write_csv);
  if (given.has("--markdown")) write_report(given.one("--markdown"), file, options, suite::write_markdown);
}

int print_results(std::ostream& out, const Given& given, const suite::ResultFile& file, const std::string& today,
                  std::size_t expected, bool complete) {
  suite::Counts counts;
  std::size_t shown = 0;
  suite::for_each_record(file, [&](const suite::CaseRecord& record) {
    counts.add(record, today);
    const std::string status = suite::status_on(record, today);
    const bool attention = suite::needs_attention(status);
    if (!attention && !given.has("--verbose")) return;
    if (attention && ++shown > most_failures_shown) return;
    print(out, case_lines(record, status));
  });
  if (shown > most_failures_shown) {
    print(out, "and " + whole(shown - most_failures_shown) + " more that did not pass; --output and --csv have all\n");
  }
  int code = suite::exit_code(counts);
  if (expected == 0) code = 0;  // a shard may be empty; the merge counts
  if (!complete && (code == 0 || code == 4)) code = 3;
  if (!given.has("--quiet")) {
    print(out, "suite " + file.header.suite + " " + file.header.selection.substr(0, 8) + "  shard " +
                   to_text(file.header.shard) + "  kernel " + file.header.kernel + "\n" + suite::counts_text(counts) +
                   "\n");
  }
  print(out, verdict(counts, code, file.count, expected) + "\n");
  return code;
}

}  // namespace fusecheck::cli
