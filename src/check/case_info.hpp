// What the tensors of a case are, before anything is drawn or run: names, shapes, storage types (JUDGING J1).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fusecheck/case_spec.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck {

struct CaseInfo {
  const OpDef* op = nullptr;
  std::vector<std::string> inputs;     // that the case has: no b without a bias
  std::vector<std::string> outputs;    // y, in training running_mean, running_var
  std::vector<std::string> gradients;  // dx, dw ...
  std::vector<std::string> saved;      // what --direction bwd accepts: mask, conv, saved_mean ...
  std::string upstream;                // "dy"
  Attrs attrs;                         // complete
  Shapes shapes;                       // of all of these, edges included
  std::map<std::string, DType, std::less<>> dtypes;
};

// The same without shapes and attributes: what can be said before any shape is known.
CaseInfo tensor_names(const CaseSpec& spec);

// Usage error where shapes or attributes are missing or contradict each other, or a tensor in --dtype is none.
CaseInfo case_info(const CaseSpec& spec);

}  // namespace fusecheck
