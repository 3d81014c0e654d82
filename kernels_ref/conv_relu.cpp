// ConvRelu:  y = relu(conv(x, w) + b)
//
//   z = conv(x, w) + b
//   dz = dy*[z > 0]; from dz on the gradients are those of family/conv_bn.hpp
//
// Example: x = 3, w = -2, b = 1: conv = -5, y = 0, so dx = dw = db = 0 for any dy; with w = 2: y = 7, dy = 1 gives dx =
// 2, dw = 3, db = 1.
#include "family/conv_bn.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {

OpDef conv_relu() {
  family::Tail tail;
  tail.forward = [](Kernel& k, Io& io, const Value& z) {
    io.save("mask", k.positive(z));
    return k.relu(z);
  };
  tail.backward = [](Kernel& k, Io& io, const Value& dy) { return k.mul(dy, io["mask"]); };
  OpDef op;
  op.name = "ConvRelu";
  op.aliases = {"FusedConvRelu"};
  op.formula = "y = relu(conv(x, w) + b)";
  op.body = "conv = conv2d(x, w, b); y = relu(conv)";
  op.recipes = family::conv_recipes(tail);
  return op;
}

}  // namespace fusecheck::ops
