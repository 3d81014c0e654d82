// softmax:  y = e^(x - max x)/Σ e^(x - max x) along an axis      dx = y·(dy - Σ dy·y)
//
// Subtracting the maximum is part of the meaning: without it e^x overflows from x = 89 on. A row of -Inf alone gives
// NaN, as IEEE arithmetic does.
//
// Example: x = [0, 0], dy = [1, 0]  ->  y = [1/2, 1/2], dx = [1/4, -1/4].
#include "family/draw.hpp"
#include "family/reduce.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {

OpDef softmax() {
  OpDef op;
  op.name = "softmax";
  op.formula = "y = exp(x - max(x))/sum(exp(x - max(x)))";
  op.inputs = {{.name = "x", .doc = "any shape of rank 1 or more", .draw = family::draw_logits}};
  op.outputs = {{.name = "y", .doc = "the shape of x"}};
  op.attrs = {{.name = "axis", .fallback = {-1}, .doc = "along which the shares sum to 1", .low = -8, .high = 7}};
  op.infer = [](Shapes& shapes, const Attrs& attrs) {
    family::axes_of(attrs, "axis", shapes.at("x").size());
    shapes["y"] = shapes.at("x");
  };
  op.forward = [](Kernel& k, Io& io) {
    const family::Exponentials s =
        family::exponentials(k, io["x"], family::axes_of(io.attrs(), "axis", io["x"].shape.size()));
    io.out("y", k.either(k.div(s.e, s.total), k.mul(s.e, k.div(k.constant(1), s.total))));
  };
  op.backward = [](Kernel& k, Io& io) {
    io.out("dx",
           family::softmax_gradient(k, io["y"], io["dy"], family::axes_of(io.attrs(), "axis", io["y"].shape.size())));
  };
  return op;
}

}  // namespace fusecheck::ops
