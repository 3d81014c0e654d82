#include "suite/reports.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace fusecheck::suite {
namespace {

constexpr std::array<std::string_view, 7> statuses = {"pass", "fail", "error", "weak", "skip", "xfail", "xpass"};

// A pipe ends a cell of a Markdown table; a backtick the code that a line is shown as.
std::string markdown_cell(std::string text) {
  for (std::size_t at = 0; (at = text.find_first_of("|`", at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

}  // namespace

Counts count(const ResultFile& file, const std::string& today) {
  Counts counts;
  counts.total = file.header.cases;
  for_each_record(file, [&](const CaseRecord& record) { counts.add(record, today); });
  return counts;
}

std::string counts_text(const Counts& counts) {
  std::string text;
  for (const std::string_view status : statuses) {
    const std::size_t number = counts.of(status);
    if (number == 0 && status != "pass" && status != "fail") continue;
    text += (text.empty() ? "" : "  ") + std::string(status) + " " + std::to_string(number);
  }
  return text;
}

bool needs_attention(const std::string& status) {
  return status == "fail" || status == "xpass" || status == "error" || status == "weak";
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

void write_csv(std::ostream& out, const ResultFile& file, const ReportOptions& options) {
  out << "case,case_status,set,output,candidate,status,recipe,model,limit,n,bad,nonfinite,max_ulp,flips,max_abs,used,"
         "mean_ulp,rms,reason\n";
  for_each_record(file, [&](const CaseRecord& record) {
    const std::string front = csv_cell(record.id) + "," + status_on(record, options.today) + ",";
    if (record.outputs.empty()) {
      out << front << ",,,,," << csv_cell(record.model) << "," << csv_cell(record.limit) << ",,,,,,,,,,"
          << csv_cell(record.reason) << "\n";
    }
    for (const OutputRecord& one : record.outputs) {
      out << front << one.set << "," << one.output << "," << one.candidate << "," << one.status << ","
          << csv_cell(one.recipe) << "," << csv_cell(record.model) << "," << csv_cell(record.limit) << "," << one.n
          << "," << one.bad << "," << one.nonfinite << "," << one.max_ulp << "," << one.flips << ","
          << base::number_text(one.max_abs) << "," << base::number_text(one.used) << ","
          << base::number_text(one.mean_ulp) << "," << base::number_text(one.rms) << "," << csv_cell(record.reason)
          << "\n";
    }
  });
}

void write_markdown(std::ostream& out, const ResultFile& file, const ReportOptions& options) {
  const Counts counts = count(file, options.today);
  out << "### fusecheck: suite " << markdown_cell(file.header.suite) << "\n\n"
      << counts_text(counts) << " of " << file.header.cases << " cases, kernel " << markdown_cell(file.header.kernel)
      << "\n";
  std::size_t rows = 0;
  for_each_record(file, [&](const CaseRecord& record) {
    const std::string status = status_on(record, options.today);
    if (!needs_attention(status) || ++rows > options.most_rows) return;
    if (rows == 1) out << "\n| status | case | why |\n|---|---|---|\n";
    out << "| " << status << " | `" << record.id << "` | " << markdown_cell(record.reason) << " |\n";
  });
  if (rows > options.most_rows) out << "\nand " << rows - options.most_rows << " more\n";
}

}  // namespace fusecheck::suite
