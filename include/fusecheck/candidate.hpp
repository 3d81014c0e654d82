// Whoever runs a kernel for a case: the check hands over the inputs and judges what comes back.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "fusecheck/attrs.hpp"
#include "fusecheck/case_spec.hpp"
#include "fusecheck/dtype.hpp"
#include "fusecheck/shape.hpp"
#include "fusecheck/tensor.hpp"

namespace fusecheck {

// One data set of a case, as a kernel sees it. Refers to what the check holds while the kernel runs.
struct CandidateCase {
  const CaseSpec& spec;  // names exactly one data set
  const Attrs& attrs;    // complete; eps of `exact` is a power of two (J10)
  const Shapes& shapes;  // of every tensor
  const std::map<std::string, DType, std::less<>>& dtypes;
  const Tensors& inputs;                    // dy and the saved tensors that the kernel reads included
  const std::vector<std::string>& outputs;  // all that the case's direction asks for: y, dx ...
};

// A kernel's outputs for one data set, or why there are none.
struct CandidateOutputs {
  // unsupported: the kernel says that it does not do this case. failed: it gave no answer (a crash, a time-out).
  // rejected: it gave one, and did something that no kernel may do, whatever its numbers (a write out of bounds).
  enum class Outcome { ran, unsupported, rejected, failed };
  Outcome outcome = Outcome::ran;
  Tensors outputs = {};                       // y, dx ...; of a rejected kernel, those that it gave
  std::string message = {};                   // one line: why it is unsupported or rejected, or how it failed
  std::vector<std::string> error_lines = {};  // the last lines of its stderr, where it failed
};

// May be called from several threads at once, for different cases.
using Candidate = std::function<CandidateOutputs(const CandidateCase& one)>;

}  // namespace fusecheck
