// The pipeline: case -> inputs -> truth, unfused, fused, third party, candidate -> judge -> report.
// The only place where running and judging meet.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fusecheck/candidate.hpp"
#include "fusecheck/case_spec.hpp"
#include "fusecheck/judge.hpp"
#include "fusecheck/tensor.hpp"

namespace fusecheck {

struct CheckRequest {
  CaseSpec spec;
  Tensors inputs = {};    // given tensors replace the drawn ones (x, w, ..., dy, saved tensors)
  Tensors actual = {};    // a candidate's outputs; empty: no kernel is judged
  Candidate kernel = {};  // runs a kernel on each data set; instead of `actual`
  // Saved tensors that the kernel reads, in a case of the backward alone: it gets those of the fused emulation's
  // forward, and is judged on them.
  std::vector<std::string> kernel_reads = {};
  std::vector<std::string> require = {};  // outputs that must be in `actual`, or that the kernel must give
  JudgeOptions judge = {};
  std::map<std::string, Tolerance, std::less<>> tolerances = {};  // by output, in place of judge.tolerance
  std::optional<double> max_diff = {};                            // J12
  int threads = 1;
  std::string simd = "auto";
  bool keep_tensors = false;           // fill DataSetReport::tensors (for --save)
  bool digests = true;                 // fill OutputReport::sha256
  std::function<double()> clock = {};  // for benchmarks: fill DataSetReport::seconds by this clock
};

struct OutputReport {
  std::string candidate;  // "unfused", "fused", "onednn", "actual"
  std::string output;     // "y", "dx", ...
  DType dtype = DType::f32;
  Shape shape;
  Judgement judgement;
  std::string recipe;  // that it was judged under (for `actual`: that explains it)
  std::string sha256;  // of the payload; empty without CheckRequest::digests
};

struct Difference {  // fused against unfused (J12)
  std::string output;
  double max_abs = 0;
  std::int64_t max_ulp = 0;
  bool within = true;  // max_diff, when given
};

struct DataSetReport {
  DataSet set = DataSet::random;
  bool from_files = false;  // every input was given
  Attrs attrs = {};         // as used here: eps of the set exact is a power of two, unless the case gives one (J10)
  std::vector<OutputReport> outputs;
  std::vector<Difference> differences;
  std::map<std::string, double> to_body;  // output -> largest |recipe truth - body truth| / (u S-like scale)
  double gradient_check = -1;             // J13: largest relative disagreement with central differences; -1: not run
  std::int64_t kinks_zeroed = 0, kinks_total = 0;  // J9
  std::vector<std::string> explained_by;           // schedules that explain the candidate whole (J8)
  struct Nearest {
    std::string schedule, declare;  // "fold", "--recipe fold"
    std::int64_t outside = 0;       // elements outside
    bool lossy = false;
  };
  std::vector<Nearest> nearest;  // on failure: the three nearest
  // What became of CheckRequest::kernel here: pass (it ran), skip (unsupported), fail (rejected), error (no answer),
  // and why in one line.
  Status kernel = Status::pass;
  std::string kernel_message;
  std::vector<std::string> kernel_errors;  // the last lines of its stderr
  std::vector<std::string> notes;          // "blind to: relu", "dy zeroed at 7 % of the elements", ...
  Tensors tensors;                         // with keep_tensors: "x", "truth.y", "unfused.y", "fused.dx" ...
  // With CheckRequest::clock, by step of the pipeline: draw, kinks, truth, run, judge, others, self.
  std::map<std::string, double> seconds;
};

struct CheckReport {
  CaseSpec spec;  // as run: shapes and attributes complete
  std::string op, formula, recipe;
  Shapes shapes;  // of every tensor
  std::map<std::string, DType, std::less<>> dtypes;
  std::vector<DataSetReport> sets;
  std::vector<std::string> notes;
  Status status = Status::pass;
  bool kernel_judged = false;
  std::string repro;  // the command line that runs this again
};

// Usage error: a wrong case. No-verdict error: a required output is absent, or the case does not fit into memory.
CheckReport check(const CheckRequest& request);

// 0 pass, 1 fail, 3 error, 4 nothing proven (weak, skip) (docs/exit-codes.md).
int exit_code(Status status);

}  // namespace fusecheck
