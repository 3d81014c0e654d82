// What 'run' and 'merge' say about results: on stdout, and in the files that --junit, --csv and --markdown name.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/flags.hpp"
#include "suite/results.hpp"

namespace fusecheck::cli {

// --junit, --csv, --markdown, --today, --verbose, --quiet
const std::vector<Flag>& results_flags();

// --today, or the system's date (UTC). Usage error unless it is a date.
std::string read_today(const Given& given);

// Writes `text` beside `path` and renames it. No-verdict error where it cannot.
void write_file(const std::string& path, const std::string& text);

// Each file is written whole or not at all.
void write_reports(const Given& given, const suite::ResultFile& file, const std::string& today);

// A line and its repro for every case that did not pass (with --verbose for all), the counts, and the verdict last.
// `expected`: how many cases this file should have. Returns the exit code.
int print_results(std::ostream& out, const Given& given, const suite::ResultFile& file, const std::string& today,
                  std::size_t expected, bool complete);

}  // namespace fusecheck::cli
