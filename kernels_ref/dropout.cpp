// dropout with a given mask:  y = x·keep/(1 - p)      dx = dy·keep/(1 - p)
//
// The mask is an input: forward and backward must use the same one. As legal: times the rounded 1/(1 - p).
//
// Example (p = 1/2): x = [1, 2], keep = [1, 0], dy = [3, 4]  ->  y = [2, 0], dx = [6, 0].
#include "family/conv.hpp"
#include "family/draw.hpp"
#include "family/elementwise.hpp"

namespace fusecheck::ops {

OpDef dropout() {
  OpDef op = family::unary_op(
      "dropout", "y = x*keep/(1 - p)", family::draw_activation,
      [](Kernel& k, Io& io) { io.out("y", family::dropped(k, io, io["x"])); },
      [](Kernel& k, Io& io) { io.out("dx", family::dropped(k, io, io["dy"])); });
  op.inputs.push_back({.name = "keep",
                       .role = Role::mask,
                       .doc = "the shape of x: 1 keeps the element",
                       .draw = family::draw_bit,
                       .gradient = false});
  op.attrs = {{.name = "p", .fallback = {0.5}, .doc = "share of dropped elements", .high = 0.99, .whole = false}};
  op.infer = [](Shapes& shapes, const Attrs&) {
    family::require_shape(shapes, "keep", shapes.at("x"), "the shape of x");
    shapes["y"] = shapes.at("x");
  };
  return op;
}

}  // namespace fusecheck::ops
