// The loss of logits against targets, as its primitive and the fused op that forms the logits use it. Formulas:
// cross_entropy.cpp.
#pragma once

#include "fusecheck/op.hpp"

namespace fusecheck::family {

void infer_cross_entropy(Shapes& shapes, const Attrs& attrs);
// Of logits x [.., c] and io's target: y, reduced as the attribute says.
Value cross_entropy(Kernel& k, Io& io, const Value& x);
// dx, from io's dy.
Value cross_entropy_gradient(Kernel& k, Io& io, const Value& x);

}  // namespace fusecheck::family
