// ConvBn:  y = gamma*(conv(x, w) + b - mean)/sqrt(var + eps) + beta
//
//   z = s*conv(x, w) + t  (s = gamma/sqrt(var + eps), t = beta + s*(b - mean))
//   dz = dy; from dz on the gradients are those of family/conv_bn.hpp
//
// Example: the worked example of family/conv_bn.hpp: y = z = 9.
#include "family/conv_bn.hpp"

#include "fusecheck/op.hpp"

namespace fusecheck::ops {

OpDef conv_bn() {
  family::Tail tail;
  tail.forward = [](Kernel&, Io&, const Value& z) { return z; };
  tail.backward = [](Kernel&, Io&, const Value& dy) { return dy; };
  OpDef op;
  op.name = "ConvBn";
  op.aliases = {"FusedConvBn", "ConvBatchNorm"};
  op.formula = "y = gamma*(conv(x, w) + b - mean)/sqrt(var + eps) + beta";
  op.body = "conv = conv2d(x, w, b); y = batch_norm(conv, gamma, beta, mean, var)";
  op.recipes = family::conv_bn_recipes(tail);
  op.structural = family::conv_bn_structural();
  return op;
}

}  // namespace fusecheck::ops
