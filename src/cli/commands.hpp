// What the program can be asked to do. Each takes the words behind its name and returns what goes to stdout.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace fusecheck::cli {

using Words = std::vector<std::string>;

std::string help_text();   // at most 24 lines
std::string flags_text();  // a line for each flag
std::string version_text();
std::string list(const Words& words);     // ops, models, tols, recipes
std::string explain(const Words& words);  // the flags of a case

// Writes all of it, or no-verdict error: what does not reach its reader must not look like a verdict.
void print(std::ostream& out, const std::string& text);

// Checks one case: report on `out`, notes on `err`. Returns the exit code (docs/exit-codes.md).
int verify(const Words& words, std::ostream& out, std::ostream& err);

// Suites: each returns its exit code.
int run_suite(const Words& words, std::ostream& out, std::ostream& err);
int merge(const Words& words, std::ostream& out, std::ostream& err);
int gate(const Words& words, std::ostream& out, std::ostream& err);
std::string run_help();  // a line for each flag
std::string merge_help();
std::string gate_help();

// golden make|check|diff|accept|export|list|prune, and compare ACTUAL GOLDEN (docs/golden.md): each returns its exit
// code, compare of a tree the one that decides.
int golden(const Words& words, std::ostream& out, std::ostream& err);
int compare(const Words& words, std::ostream& out, std::ostream& err);
std::string golden_help();  // a line for each command and flag
std::string compare_help();

// The whole program but for catching what is thrown.
int run(const Words& words, std::ostream& out, std::ostream& err);

}  // namespace fusecheck::cli
