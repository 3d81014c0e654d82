// What the tensors of a case are, before anything is drawn or run: for who reads files or explains an op.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fusecheck/case_spec.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck {

// The canonical text of the body that --body names: text, or a file with text or with a chain in JSON. Usage error with
// the place in the text; no-verdict error where the file is absent.
std::string canonical_body(const std::string& text_or_file);

// What an op can be told by name: a fused op has those of its body's calls, under the names that the body gives them.
std::vector<AttrSpec> attributes_of(const OpDef& op);

struct TensorNames {
  std::vector<std::string> inputs;                         // that the case has: no b without a bias
  std::vector<std::string> outputs;                        // y; in training running_mean, running_var
  std::vector<std::string> gradients;                      // dx, dw ...
  std::vector<std::string> saved;                          // what --direction bwd accepts: mask, conv, saved_mean ...
  std::string upstream;                                    // "dy"
  std::map<std::string, DType, std::less<>> input_dtypes;  // storage of the inputs and of `upstream`
};

// Needs no shape.
TensorNames tensor_names(const CaseSpec& spec);
// Whose shape and type are the case's where none is named: x, or the first input of an op that has no x.
const std::string& main_input(const TensorNames& names);

struct CaseInfo {
  std::shared_ptr<const OpDef> op;
  Attrs attrs;    // complete
  Shapes shapes;  // of every tensor, edges included
  std::map<std::string, DType, std::less<>> dtypes;
};

// Usage error where shapes or attributes are missing or contradict each other.
CaseInfo case_info(const CaseSpec& spec);

}  // namespace fusecheck
