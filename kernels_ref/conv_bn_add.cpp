// ConvBnAdd:  y = gamma*(conv(x, w) + b - mean)/sqrt(var + eps) + beta + residual
//
//   z = s*conv(x, w) + t  (s = gamma/sqrt(var + eps), t = beta + s*(b - mean))
//   dz = dresidual = dy; from dz on the gradients are those of family/conv_bn.hpp
//
// Example: the worked example of family/conv_bn.hpp with residual = -4: y = 5, dresidual = dy.
#include "family/conv_bn.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {

OpDef conv_bn_add() {
  family::Tail tail;
  tail.forward = [](Kernel& k, Io& io, const Value& z) { return family::with_residual(k, io, z); };
  tail.backward = family::residual_gradient;
  OpDef op;
  op.name = "ConvBnAdd";
  op.aliases = {"FusedConvBnAdd"};
  op.formula = "y = gamma*(conv(x, w) + b - mean)/sqrt(var + eps) + beta + residual";
  op.body = "conv = conv2d(x, w, b); bn = batch_norm(conv, gamma, beta, mean, var); y = add(bn, residual)";
  op.recipes = family::conv_bn_recipes(tail);
  op.structural = family::conv_bn_structural();
  op.structural.push_back({"dresidual", "the gradient of a sum is dy itself", false});
  return op;
}

}  // namespace fusecheck::ops
