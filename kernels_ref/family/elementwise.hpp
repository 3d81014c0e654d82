// What primitives of one and two operands have in common: ports, shapes, broadcasting.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fusecheck/op.hpp"

namespace fusecheck::family {

// y = f(x), dx = backward(dy) with x, y or what forward saved at hand. `draw` makes x.
OpDef unary_op(std::string name, std::string formula, Draw draw, KernelFunction forward, KernelFunction backward);

// y = f(a, b) with numpy's broadcasting; `gradients` gives da and db in the shape of y, which are summed to those of
// the operands. b has the shape of a unless it is given.
struct Gradients {
  Value a, b;
};
OpDef binary_op(std::string name, std::string formula, Draw draw_a, Draw draw_b,
                std::function<Value(Kernel&, const Value& a, const Value& b)> forward,
                std::function<Gradients(Kernel&, Io& io, const Value& dy)> gradients);

// y = max(a, b) or min(a, b), with masks [a wins] and [b wins]. Who gets the gradient where neither does is a
// convention, the attribute "ties": half each, as PyTorch and JAX, or all to a, as TensorFlow and MindSpore; unless it
// is said, both are legal.
OpDef selection_op(std::string name, std::string formula, Binary which);

// The op with saved masks of the shape of y, which is where J9 finds kinks.
struct Mask {
  std::string name, doc;
};
OpDef with_masks(OpDef op, const std::vector<Mask>& masks);

// x·keep/(1 - p) or x·keep times the rounded 1/(1 - p), with io's mask `keep` and attribute `p`.
Value dropped(Kernel& k, Io& io, const Value& x);

// Values that are never near 0 or below: denominators, arguments of log and sqrt.
//   exact   1, 2 or 4
//   random  from 0.5 to 2.5
//   stress  the same; every 31st element 2^-10 or 2^10
double draw_positive(const DrawContext& draw, std::int64_t element);

}  // namespace fusecheck::family
