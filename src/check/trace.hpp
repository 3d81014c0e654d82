// Runs kernels on shapes alone, to see where they round, what they sum and what they read and write.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fusecheck/case_spec.hpp"

namespace fusecheck {

struct TracedSum {
  std::string what;        // "conv2d", "conv2d, gradient of the data", "sum"
  std::int64_t terms = 0;  // products (or addends) of one output
};

struct TracedPoint {
  std::string name;  // "conv"
  std::string rule;  // "kept in f32", "rounded to f16"; "stored in f16" for what is saved, which no --round changes
};

// Bytes to and from memory where a kernel reads and writes each tensor once and keeps everything else on the chip.
struct Traffic {
  std::int64_t forward = 0, saved = 0, backward = 0;  // saved: written for the backward only
  std::int64_t total() const { return forward + saved + backward; }
};

struct TracedSchedule {
  std::string name, doc;
  bool lossy = false;
  std::vector<TracedPoint> points;  // in the order of the kernel, forward then backward
  std::vector<TracedSum> sums;
  Traffic traffic;
};

// Every schedule of the case's op in its mode, "unfused" last: there each primitive is a kernel of its own.
// Usage error where the case does not fit together.
std::vector<TracedSchedule> trace_schedules(const CaseSpec& spec);

}  // namespace fusecheck
