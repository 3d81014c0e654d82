// A kernel's outputs against a golden case. The judgement is check() itself on the same case, so that this and --actual
// cannot disagree; golden data adds proof that both sides used the same inputs, and names for what went wrong.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fusecheck/check.hpp"
#include "golden/actual.hpp"
#include "golden/golden_case.hpp"

namespace fusecheck::golden {

struct CompareOptions {
  Execution execution;
  std::optional<std::string> recipe;                         // else the case's own, or any
  JudgeOptions judge;                                        // but for the tolerance:
  std::optional<Tolerance> tolerance;                        // of all outputs; else the case's own
  std::map<std::string, Tolerance, std::less<>> tolerances;  // by output
  std::vector<std::string> require;
  Layouts layouts;
  std::optional<DType> dtype;  // of .bin files
};

struct Comparison {
  CheckRequest request;
  CheckReport report;
};

// `manifest` is that of `case_folder` (trusted_manifest, read_listed), `files` are the outputs to judge, at least one.
// Outputs of the case that are not given are a note in the report. No-verdict error: a golden payload, case.json or
// re-derived tensor that does not have its hash; nothing given; a required output is absent. Usage error: a malformed
// file on either side.
Comparison compare_case(const std::filesystem::path& case_folder, const Manifest& manifest, const Files& files,
                        const CompareOptions& options);

// A folder of outputs: its files by name. A file DONE in it must hold the SHA-256 of case.json ("sha256sum case.json"),
// else the outputs are stale: no-verdict error.
Files outputs_in(const std::filesystem::path& folder, const Manifest& manifest);

// The case folder that a golden file lies in; nothing where no case.json is above it.
std::optional<std::filesystem::path> case_of_file(const std::filesystem::path& file);

}  // namespace fusecheck::golden
