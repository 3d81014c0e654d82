// Runs an op's body or one of its recipes on a kernel, forward and backward.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fusecheck/op.hpp"
#include "graph/body.hpp"

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

// A run whose forward is done: dy may be settled by what the forward shows (J9) before the backward follows. Holds
// references to the kernel and, with a recipe, to the attributes of the request.
struct Forward {
  Kernel* kernel;
  const Recipe* recipe;  // null: the body
  Values inputs;
  Body body;                                        // of the body
  std::shared_ptr<const std::vector<Attrs>> attrs;  // of each node of the body
  std::vector<Io> calls;                            // one for each node of the body, or the recipe's own
  Evaluation result;                                // of the forward
};

// The body, each edge passing the rounding point of its name ("conv") and each inner gradient that of "d" + its name;
// gradients by reverse accumulation over the primitives' own backward kernels. With a recipe, the fused op's own
// kernel.
Forward run_forward(Kernel& kernel, const Recipe* recipe, const Request& request);

// Adds the gradients of `dy` to the forward's result.
Evaluation run_backward(Forward forward, const Value& dy);

// Both, or the forward alone.
Evaluation run(Kernel& kernel, const Recipe* recipe, const Request& request);

}  // namespace fusecheck::graph
