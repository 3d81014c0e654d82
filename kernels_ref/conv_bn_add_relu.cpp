// ConvBnAddRelu:  y = relu(gamma*(conv(x, w) + b - mean)/sqrt(var + eps) + beta + residual)
//
//   z = s*conv(x, w) + t  (s = gamma/sqrt(var + eps), t = beta + s*(b - mean))
//   dz = dresidual = dy*[z + residual > 0]; from dz on the gradients are those of family/conv_bn.hpp
//
// Example: the worked example of family/conv_bn.hpp with residual = -10: z + residual = -1, y = 0, every gradient is 0.
#include "family/conv_bn.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {

OpDef conv_bn_add_relu() {
  family::Tail tail;
  tail.forward = [](Kernel& k, Io& io, const Value& z) {
    const Value sum = k.round("add", family::with_residual(k, io, z));
    io.save("mask", k.positive(sum));
    return k.relu(sum);
  };
  tail.backward = [](Kernel& k, Io& io, const Value& dy) {
    return family::residual_gradient(k, io, k.mul(dy, io["mask"]));
  };
  OpDef op;
  op.name = "ConvBnAddRelu";
  op.aliases = {"FusedConvBnAddRelu"};
  op.formula = "y = relu(gamma*(conv(x, w) + b - mean)/sqrt(var + eps) + beta + residual)";
  op.body =
      "conv = conv2d(x, w, b); bn = batch_norm(conv, gamma, beta, mean, var); add = add(bn, residual); y = relu(add)";
  op.recipes = family::conv_bn_recipes(tail);
  op.structural = family::conv_bn_structural();
  return op;
}

}  // namespace fusecheck::ops
