// ConvAdd:  y = conv(x, w) + b + residual
//
//   z = conv(x, w) + b
//   dz = dresidual = dy; from dz on the gradients are those of family/conv_bn.hpp
//
// Example: x = 3, w = 2, b = 1, residual = 10: y = 17; dy = 1 gives dx = 2, dw = 3, db = 1, dresidual = 1.
#include "family/conv_bn.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {

OpDef conv_add() {
  family::Tail tail;
  tail.forward = [](Kernel& k, Io& io, const Value& z) { return family::with_residual(k, io, z); };
  tail.backward = family::residual_gradient;
  OpDef op;
  op.name = "ConvAdd";
  op.aliases = {"FusedConvAdd"};
  op.formula = "y = conv(x, w) + b + residual";
  op.body = "conv = conv2d(x, w, b); y = add(conv, residual)";
  op.recipes = family::conv_recipes(tail);
  op.structural.push_back({"dresidual", "the gradient of a sum is dy itself", false});
  return op;
}

}  // namespace fusecheck::ops
