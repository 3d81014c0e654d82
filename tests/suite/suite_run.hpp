// A suite run in this process, with a kernel that the test makes up.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fusecheck/check.hpp"
#include "suite/results.hpp"
#include "suite/run.hpp"
#include "support/temp_dir.hpp"

namespace fusecheck::testing {

struct SuiteRun {
  Candidate candidate = {};
  int jobs = 2;
  std::size_t max_failures = 0;
  std::string contract = {};
};

inline suite::RunHeader header_of(const Suite& suite, const SuiteRun& run = {}) {
  std::vector<std::size_t> all(suite.cases.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return {"0.0.0", suite.name, suite::selection_digest(suite, all),    suite.cases.size(),
          {},      "",         run.candidate ? "kernel" : "emulation", run.contract};
}

// Runs all cases and leaves the sorted file at `path`.
inline suite::ResultFile run_suite(const Suite& suite, const std::string& path, const SuiteRun& run = {}) {
  std::vector<std::size_t> all(suite.cases.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  suite::RunRequest request{suite, all};
  request.todo = all;
  request.jobs = run.jobs;
  request.max_failures = run.max_failures;
  request.today = "2026-06-30";
  request.candidate = run.candidate;
  const suite::RunHeader header = header_of(suite, run);
  {
    suite::ResultWriter writer(path, header);
    suite::run_cases(request, writer, [](const suite::Counts&) { return true; });
  }
  suite::write_sorted(path, header, {suite::scan_results(path)});
  return suite::scan_results(path);
}

inline std::vector<suite::CaseRecord> records_of(const suite::ResultFile& file) {
  std::vector<suite::CaseRecord> records;
  suite::for_each_record(file, [&](const suite::CaseRecord& record) { records.push_back(record); });
  return records;
}

// What the fused emulation puts out for a case of one data set: a kernel without fault.
inline Tensors emulated_outputs_of(const CaseSpec& one_set) {
  CheckRequest request;
  request.spec = one_set;
  request.keep_tensors = true;
  const CheckReport report = check(request);
  Tensors outputs;
  for (const auto& [name, tensor] : report.sets.at(0).tensors) {
    if (name.starts_with("fused.")) outputs[name.substr(6)] = tensor;
  }
  return outputs;
}

inline Candidate good_kernel() {
  return [](const CandidateCase& one) {
    return CandidateOutputs{CandidateOutputs::Outcome::ran, emulated_outputs_of(one.spec)};
  };
}

}  // namespace fusecheck::testing
