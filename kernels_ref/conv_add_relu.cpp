// ConvAddRelu:  y = relu(conv(x, w) + b + residual)
//
//   z = conv(x, w) + b
//   dz = dresidual = dy*[z + residual > 0]; from dz on the gradients are those of family/conv_bn.hpp
//
// Example: x = 3, w = 2, b = 1, residual = -10: the sum is -3, y = 0, and every gradient is 0, dresidual too.
#include "family/conv_bn.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {

OpDef conv_add_relu() {
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
  op.name = "ConvAddRelu";
  op.aliases = {"FusedConvAddRelu"};
  op.formula = "y = relu(conv(x, w) + b + residual)";
  op.body = "conv = conv2d(x, w, b); add = add(conv, residual); y = relu(add)";
  op.recipes = family::conv_recipes(tail);
  return op;
}

}  // namespace fusecheck::ops
