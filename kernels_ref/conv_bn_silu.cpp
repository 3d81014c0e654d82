// ConvBnSilu:  y = silu(z), silu(z) = z·σ(z), z = gamma*(conv(x, w) + b - mean)/sqrt(var + eps) + beta
//
//   dz = dy·silu'(z), where z ("bn") is stored for the backward; from dz on the gradients are those of
//   family/conv_bn.hpp
//
// Example: the worked example of family/conv_bn.hpp with beta = -8 has z = 0: y = 0 and silu'(0) = 1/2, so every
// gradient there is halved: dx = 2, dw = 3, dbeta = 1/2, dgamma = 1.
#include "family/conv_bn.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {

OpDef conv_bn_silu() {
  family::Tail tail;
  tail.forward = [](Kernel& k, Io& io, const Value& z) {
    io.save("bn", z);
    return k.function(Function::silu, z);
  };
  tail.backward = [](Kernel& k, Io& io, const Value& dy) {
    return k.mul(dy, k.function(Function::silu_derivative, io["bn"]));
  };
  tail.activation = [](Kernel& k, const Value& z) { return k.function(Function::silu, z); };
  tail.slope = [](Kernel& k, const Value& z) { return k.function(Function::silu_derivative, z); };
  tail.roundings = 1;
  OpDef op;
  op.name = "ConvBnSilu";
  op.aliases = {"FusedConvBnSilu", "ConvBnSwish"};
  op.formula = "y = silu(gamma*(conv(x, w) + b - mean)/sqrt(var + eps) + beta)";
  op.body = "conv = conv2d(x, w, b); bn = batch_norm(conv, gamma, beta, mean, var); y = silu(bn)";
  op.recipes = family::conv_bn_recipes(tail);
  op.structural = family::conv_bn_structural();
  return op;
}

}  // namespace fusecheck::ops
