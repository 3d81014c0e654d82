// ConvBnHardSwish:  y = hard_swish(z), hard_swish(z) = z·min(max(z + 3, 0), 6)/6,
//                   z = gamma*(conv(x, w) + b - mean)/sqrt(var + eps) + beta
//
//   dz = dy·hard_swish'(z): 0 for z <= -3, 1 for z >= 3, (2z + 3)/6 between. z ("bn") is stored for the backward, and
//   so are the masks of the two kinks; from dz on the gradients are those of family/conv_bn.hpp
//
// Example: the worked example of family/conv_bn.hpp has z = 9 > 3: y = 9, dz = dy. With beta = -8 it has z = 0: y = 0
// and the slope is 1/2, so every gradient there is halved: dx = 2, dw = 3, dbeta = 1/2, dgamma = 1.
#include "family/activation.hpp"
#include "family/conv_bn.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {

OpDef conv_bn_hard_swish() {
  family::Tail tail;
  tail.forward = [](Kernel& k, Io& io, const Value& z) {
    const family::Between inside = family::between(k, z, -3, 3);
    io.save("mask", inside.above);
    io.save("mask_high", inside.below);
    io.save("bn", z);
    return family::hard_swish(k, z);
  };
  tail.backward = [](Kernel& k, Io& io, const Value& dy) {
    return k.mul(dy, family::hard_swish_slope(k, io["bn"], {io["mask"], io["mask_high"]}));
  };
  tail.activation = family::hard_swish;
  tail.slope = [](Kernel& k, const Value& z) { return family::hard_swish_slope(k, z, family::between(k, z, -3, 3)); };
  tail.roundings = 1;
  OpDef op;
  op.name = "ConvBnHardSwish";
  op.aliases = {"FusedConvBnHardSwish"};
  op.formula = "y = hard_swish(gamma*(conv(x, w) + b - mean)/sqrt(var + eps) + beta)";
  op.body = "conv = conv2d(x, w, b); bn = batch_norm(conv, gamma, beta, mean, var); y = hard_swish(bn)";
  op.recipes = family::conv_bn_recipes(tail);
  op.structural = family::conv_bn_structural();
  return op;
}

}  // namespace fusecheck::ops
