// A run's results in the formats that others read. Streams: nothing holds all records at once.
#pragma once

#include <ostream>
#include <string>

#include "suite/results.hpp"
#include "suite/run.hpp"

namespace fusecheck::suite {

struct ReportOptions {
  std::string today;           // known failures expire
  std::size_t most_rows = 20;  // of the Markdown table
};

// JUnit XML as GitLab and Jenkins read it: a test case for each case; over 2,000 cases one for each op and type, and
// one for each of the first 500 that did not pass.
void write_junit(std::ostream& out, const ResultFile& file, const ReportOptions& options);
// RFC 4180, a line for each output of each data set, every number that a record has.
void write_csv(std::ostream& out, const ResultFile& file, const ReportOptions& options);
// For a merge request: counts, and a table of what did not pass.
void write_markdown(std::ostream& out, const ResultFile& file, const ReportOptions& options);

Counts count(const ResultFile& file, const std::string& today);
std::string counts_text(const Counts& counts);  // "pass 298  fail 1  weak 1", in the order of the table of statuses
std::string csv_cell(const std::string& text);  // quoted where RFC 4180 asks for it

// Statuses that make a run or a gate say no, or leave it without an answer.
bool needs_attention(const std::string& status);  // fail, xpass, error, weak

}  // namespace fusecheck::suite
