// Runs an op's body or one of its recipes on a kernel, forward and backward.
#pragma once

#include <map>
#include <string>

#include "fusecheck/op.hpp"

namespace fusecheck::graph {

using Values = std::map<std::string, Value, std::less<>>;

// What one run gave, by tensor name. `outputs` holds y, running_mean ..., dx, dw ...; `saved` mask, conv ...
struct Evaluation {
  Values outputs, saved;
  // For outputs and gradients: the value one step earlier (before relu, before the last multiplication), where the
  // shape is the same: what a kernel that forgets its last step would give (J11).
  Values before_last_step;
};

struct Request {
  const OpDef* op = nullptr;
  const Attrs* attrs = nullptr;
  bool forward = true, backward = true;
  Values inputs;    // every input by name; "dy" for the backward
  Values supplied;  // saved tensors that the user gave (--direction bwd)
};

// The body, each edge passing the rounding point of its name ("conv") and each inner gradient that of "d" + its name.
// Gradients by reverse accumulation over the primitives' own backward kernels.
Evaluation run_body(Kernel& kernel, const Request& request);

// A fused op's own kernel.
Evaluation run_recipe(Kernel& kernel, const Recipe& recipe, const Request& request);

}  // namespace fusecheck::graph
