// The body of a fused op: a chain of primitives as text, and what follows from it.
//
//   conv = conv2d(x, w, b); bn = batch_norm(conv, gamma, beta, mean, var); y = relu(bn)
//
// A name that no earlier line defines is an input of the op. The first output of a call takes the name on the left; the
// call's further outputs (running_mean ...) keep their own. The last line's name is the op's first output.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fusecheck/op.hpp"

namespace fusecheck::graph {

struct Node {
  const OpDef* op = nullptr;
  std::vector<std::string> arguments;  // one per input port, in order; a trailing optional port may lack one
  std::string result;
};

struct Body {
  std::vector<Node> nodes;
};

// Usage error with the place in the text where it does not parse. A primitive is its own body: y = op(its ports).
Body parse_body(std::string_view text);
Body body_of(const OpDef& op);

// What an op takes and gives, worked out from its body.
struct Interface {
  std::vector<Port> inputs, outputs, saved;
  std::vector<AttrSpec> attrs;
  std::string first_output;
};
Interface interface_of(const OpDef& op);

// The shapes of all inputs, edges and outputs from those given (x at least) and complete attributes. `absent` inputs
// (an optional bias that is not wanted) get no shape. Usage error where they contradict each other.
Shapes complete_shapes(const OpDef& op, Shapes given, const Attrs& attrs, const std::vector<std::string>& absent);

}  // namespace fusecheck::graph
