// ConvBnRelu:  y = relu(gamma*(conv(x, w) + b - mean)/sqrt(var + eps) + beta)
//
//   z = s*conv(x, w) + t  (s = gamma/sqrt(var + eps), t = beta + s*(b - mean))
//   dz = dy*[z > 0]; from dz on the gradients are those of family/conv_bn.hpp
//
// Example: the worked example of family/conv_bn.hpp has z = 9 > 0: y = 9, g = dy. With beta = -9 it has z = -1: y = 0
// and every gradient is 0.
#include "family/conv_bn.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {

OpDef conv_bn_relu() {
  family::Tail tail;
  tail.forward = [](Kernel& k, Io& io, const Value& z) {
    io.save("mask", k.positive(z));
    return k.relu(z);
  };
  tail.backward = [](Kernel& k, Io& io, const Value& dy) { return k.mul(dy, io["mask"]); };
  OpDef op;
  op.name = "ConvBnRelu";
  op.aliases = {"FusedConvBnRelu", "ConvBatchNormReLU"};
  op.formula = "y = relu(gamma*(conv(x, w) + b - mean)/sqrt(var + eps) + beta)";
  op.body = "conv = conv2d(x, w, b); bn = batch_norm(conv, gamma, beta, mean, var); y = relu(bn)";
  op.recipes = family::conv_bn_recipes(tail);
  op.structural = family::conv_bn_structural();
  return op;
}

}  // namespace fusecheck::ops
