// relu:  y = max(x, 0)      dx = dy·[x > 0]
//
// Example: x = [-1, 0, 2], dy = [3, 3, 3]  ->  y = [0, 0, 2], dx = [0, 0, 3].
//
// relu(NaN) = NaN, relu(-0) = +0, and the derivative at 0 is 0 (PyTorch's and ONNX's convention).
// The mask [x > 0] is saved: a fused kernel's backward reads it instead of x.
//
// This file and tests/ops/relu_test.cpp are the skeleton to copy for a new primitive: ports, shapes, forward, backward.
#include "family/draw.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {

OpDef relu() {
  OpDef op;
  op.name = "relu";
  op.formula = "y = max(x, 0)";
  op.inputs = {{.name = "x", .doc = "any shape", .draw = family::draw_activation}};
  op.outputs = {{.name = "y", .doc = "the shape of x"}};
  op.saved = {{.name = "mask", .role = Role::mask, .doc = "[x > 0]"}};
  op.infer = [](Shapes& shapes, const Attrs&) { shapes["y"] = shapes["mask"] = shapes.at("x"); };
  op.forward = [](Kernel& k, Io& io) {
    io.save("mask", k.positive(io["x"]));
    io.out("y", k.relu(io["x"]));
  };
  op.backward = [](Kernel& k, Io& io) { io.out("dx", k.mul(io["dy"], io["mask"])); };
  return op;
}

}  // namespace fusecheck::ops
