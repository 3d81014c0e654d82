// fusecheck gate RESULTS --baseline FILE.csv, fusecheck gate update ...
#include "suite/gate.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <ostream>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/gate_baseline.hpp"
#include "cli/results_output.hpp"
#include "fusecheck/error.hpp"
#include "report/format.hpp"

namespace fusecheck::cli {
namespace {

using report::Table;
using enum report::Align;
using suite::GateFinding;
using suite::GateReport;

constexpr std::size_t most_rows = 20;

std::vector<Flag> gate_flags() {
  std::vector<Flag> flags = baseline_flags();
  const std::vector<Flag> others = {
      {"--base-results", "FILE", false, false, "Gate",
       "results of the state before the change: what it has is not yours"},
      {"--advisory", "", false, false, "Gate", "say it, and exit 0"},
      {"--markdown", "FILE", false, false, "Gate", "for the merge request"},
      {"--today", "DATE", false, false, "Gate", "the day on which known failures count (the system's, UTC)"},
      {"--reason", "TEXT", false, false, "Update", "why rows may get worse, change or go"},
      {"--case", "LINE", false, false, "Update", "the reason is for this case only"},
  };
  flags.insert(flags.end(), others.begin(), others.end());
  return flags;
}

std::string whole(std::size_t count) { return report::grouped(static_cast<std::int64_t>(count)); }

std::string row_name(const suite::RowKey& key) { return key.output.empty() ? "-" : key.output + " " + key.set; }

std::vector<std::string> cells(const GateFinding& one) {
  const auto shown = [](const std::string& text) { return text.empty() ? std::string("-") : text; };
  return {one.inherited ? "not yours" : one.verdict,
          one.key.id,
          row_name(one.key),
          shown(one.metric),
          shown(one.base),
          shown(one.now),
          shown(one.limit)};
}

std::size_t failing(const GateReport& report, const std::string& verdict = "") {
  return static_cast<std::size_t>(std::count_if(report.findings.begin(), report.findings.end(), [&](const auto& one) {
    return one.fails && (verdict.empty() || one.verdict == verdict);
  }));
}

// "2 worse, 1 missing"
std::string failures_text(const GateReport& report) {
  std::string text;
  for (const char* verdict : {"failed", "worse", "non-finite", "changed", "weak", "missing", "xpass"}) {
    const std::size_t count = failing(report, verdict);
    if (count > 0) text += (text.empty() ? "" : ", ") + whole(count) + " " + verdict;
  }
  return text;
}

std::string counts_line(const GateReport& report) {
  const auto inherited = std::count_if(report.findings.begin(), report.findings.end(),
                                       [](const GateFinding& one) { return one.inherited; });
  std::string text = "rows same " + whole(report.same) + "  better " + whole(report.better) + "  failing " +
                     whole(failing(report)) + "  not yours " + std::to_string(inherited) + "; cases known to fail " +
                     whole(report.known_failures);
  if (!report.next_expiry.empty()) text += " (next expires " + report.next_expiry + ")";
  return text + ", new " + whole(report.new_cases) + "\n";
}

std::string verdict_line(const GateReport& report, int code, bool advisory) {
  if (code == 1) {
    const std::string what = failures_text(report) + "; nothing is netted: improvements do not pay for regressions\n";
    return advisory ? "ADVISORY  would fail: " + what : "FAIL  " + what;
  }
  if (code == 3) return "NO VERDICT  on " + whole(report.errors) + " new cases\n";
  if (code == 4) return "NOTHING PROVEN  no row of the baseline was compared\n";
  return "PASS  " + whole(report.same + report.better) + " rows no worse than the baseline\n";
}

std::string gate_text(const GateReport& report, int code, bool advisory, const std::string& baseline) {
  std::string text = "gate  " + whole(report.cases) + " cases, " + whole(report.rows) + " rows of " + baseline + "\n";
  Table table({"verdict", "case", "output", "metric", "base", "now", "limit"},
              {left, left, left, left, right, right, right});
  std::size_t shown = 0, more = 0;
  const GateFinding* first = nullptr;
  for (const GateFinding& one : report.findings) {
    if (one.verdict == "better") continue;
    if (one.fails && first == nullptr) first = &one;
    ++(shown < most_rows ? shown : more);
    if (more == 0) table.add(cells(one));
  }
  if (shown > 0) text += "\n" + table.text("  ");
  if (more > 0) text += "  and " + whole(more) + " more\n";
  if (shown > 0) text += "\n";
  text += counts_line(report);
  if (report.roomy > 0) {
    text += "note        " + whole(report.roomy) +
            " rows are over 4 times better than the baseline: 'fusecheck gate "
            "update' keeps the gain\n";
  }
  if (first != nullptr) {
    if (!first->repro.empty()) text += "repro: " + first->repro + "\n";
    text += "accept on purpose: fusecheck gate update RESULTS --baseline " + base::shell_word(baseline) + " --case '" +
            first->key.id + "' --reason '...'\n";
  }
  return text + verdict_line(report, code, advisory);
}

std::string gate_markdown(const GateReport& report, int code, bool advisory) {
  std::string text = "### fusecheck gate\n\n" + verdict_line(report, code, advisory) + "\n" + counts_line(report);
  std::size_t shown = 0;
  for (const GateFinding& one : report.findings) {
    if (!one.fails || ++shown > most_rows) continue;
    if (shown == 1)
      text += "\n| verdict | case | output | metric | base | now | limit |\n|---|---|---|---|--:|--:|--:|\n";
    text += "|";
    for (const std::string& cell : cells(one)) text += " " + cell + " |";
    text += "\n";
  }
  if (shown > most_rows) text += "\nand " + whole(shown - most_rows) + " more\n";
  return text;
}

int judge(const Given& given, const std::string& path, std::ostream& out) {
  for (const char* flag : {"--reason", "--case"}) {
    if (given.has(flag)) usage_error(std::string(flag) + " is for 'fusecheck gate update'");
  }
  const suite::Baseline baseline = suite::read_baseline(path);
  std::optional<suite::ResultFile> before;
  if (given.has("--base-results")) before = suite::scan_results(given.one("--base-results"));
  const GateReport report =
      suite::judge_gate(baseline, suite::scan_results(given.words()[0]), read_today(given), before);
  const int code = suite::exit_code(report);
  const bool advisory = given.has("--advisory");
  if (given.has("--markdown")) write_file(given.one("--markdown"), gate_markdown(report, code, advisory));
  print(out, gate_text(report, code, advisory, path));
  return code == 1 && advisory ? 0 : code;
}

int update(const Given& given, const std::string& path, std::ostream& out) {
  const char* ci = std::getenv("CI");
  if (ci != nullptr && *ci != '\0') {
    usage_error(
        "gate update: refused in CI (the variable CI is set); update on your machine and review the difference");
  }
  for (const char* flag : {"--base-results", "--advisory", "--markdown"}) {
    if (given.has(flag)) usage_error(std::string(flag) + " is not for 'gate update'");
  }
  if (given.has("--case") && !given.has("--reason")) usage_error("--case says what --reason is for; give both");
  const suite::Baseline baseline = std::filesystem::exists(path) ? suite::read_baseline(path) : suite::Baseline{};
  const suite::GateUpdate next = suite::update_baseline(
      baseline, suite::scan_results(given.words()[1]), read_today(given),
      given.has("--reason") ? given.one("--reason") : "", given.has("--case") ? given.one("--case") : "");
  if (next.baseline.empty()) {
    print(out, "NOTHING PROVEN  the results have no row to accept\n");
    return 4;
  }
  write_file(path, suite::to_csv(next.baseline));
  std::string text;
  Table table({"kept", "case", "output", "metric", "base", "now", "limit"},
              {left, left, left, left, right, right, right});
  for (std::size_t i = 0; i < std::min(next.kept.size(), most_rows); ++i) table.add(cells(next.kept[i]));
  if (!next.kept.empty()) text += table.text("  ");
  if (next.kept.size() > most_rows) text += "  and " + whole(next.kept.size() - most_rows) + " more\n";
  text += "rows added " + whole(next.added) + "  tightened " + whole(next.tightened) + "  loosened " +
          whole(next.loosened) + "  removed " + whole(next.removed) + "  kept " + whole(next.kept.size()) + "\n";
  text += next.kept.empty()
              ? "UPDATED  " + path + "\n"
              : "FAIL  " + whole(next.kept.size()) +
                    " rows stay as they were: what is worse, changed or gone needs --reason, what failed is "
                    "not accepted\n";
  print(out, text);
  return next.kept.empty() ? 0 : 1;
}

}  // namespace

std::string gate_help() {
  return "fusecheck gate RESULTS --baseline FILE    may this be merged? (docs/gate.md)\n"
         "fusecheck gate update RESULTS --baseline FILE    keep gains, add new cases; with --reason accept losses\n\n" +
         flags_text(gate_flags());
}

int gate(const Words& words, std::ostream& out, std::ostream&) {
  const bool updates = !words.empty() && words[0] == "update";
  const Given given =
      parse_flags(words, {updates ? "gate update" : "gate", gate_flags(), updates ? 2U : 1U, "RESULTS"});
  if (given.words().size() < (updates ? 2U : 1U))
    usage_error("gate needs RESULTS, the file that 'fusecheck run -o' wrote");
  const std::string path = baseline_of(given, given.words().back());
  return updates ? update(given, path, out) : judge(given, path, out);
}

}  // namespace fusecheck::cli
