// ConvBnReluAdd:  y = relu(gamma*(conv(x, w) + b - mean)/sqrt(var + eps) + beta) + residual
//
//   z = s*conv(x, w) + t  (s = gamma/sqrt(var + eps), t = beta + s*(b - mean))
//   dresidual = dy, dz = dy*[z > 0]; from dz on the gradients are those of family/conv_bn.hpp
//
// Example: the worked example of family/conv_bn.hpp with beta = -9, residual = 5: z = -1, y = 0 + 5; dresidual = dy,
// the other gradients are 0.
#include "family/conv_bn.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {

OpDef conv_bn_relu_add() {
  family::Tail tail;
  tail.forward = [](Kernel& k, Io& io, const Value& z) {
    io.save("mask", k.positive(z));
    return family::with_residual(k, io, k.round("relu", k.relu(z)));
  };
  tail.backward = [](Kernel& k, Io& io, const Value& dy) {
    family::residual_gradient(k, io, dy);
    return k.mul(dy, io["mask"]);
  };
  OpDef op;
  op.name = "ConvBnReluAdd";
  op.aliases = {"FusedConvBnReluAddResidual", "ConvBnReluAddResidual"};
  op.formula = "y = relu(gamma*(conv(x, w) + b - mean)/sqrt(var + eps) + beta) + residual";
  op.body =
      "conv = conv2d(x, w, b); bn = batch_norm(conv, gamma, beta, mean, var); relu = relu(bn); y = add(relu, residual)";
  op.recipes = family::conv_bn_recipes(tail);
  op.structural = family::conv_bn_structural();
  op.structural.push_back({"dresidual", "the gradient of a sum is dy itself", false});
  return op;
}

}  // namespace fusecheck::ops
