// bias:  y[n,c,...] = x[n,c,...] + b[c]      dx = dy      db[c] = Σ_{n,...} dy[n,c,...]
//
// Example: x = [[1, 2]] (n = 1, c = 2), b = [10, 20], dy = [[3, 4]]  ->  y = [[11, 22]], dx = [[3, 4]], db = [3, 4].
#include "family/conv.hpp"
#include "family/draw.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {

OpDef bias() {
  OpDef op;
  op.name = "bias";
  op.formula = "y[n,c] = x[n,c] + b[c]";
  op.inputs = {{.name = "x", .doc = "n, c, ...", .draw = family::draw_activation},
               {.name = "b", .role = Role::parameter, .doc = "c", .draw = family::draw_shift}};
  op.outputs = {{.name = "y", .doc = "the shape of x"}};
  op.structural = {{"dx", "the gradient of a sum is dy itself", false}};
  op.infer = [](Shapes& shapes, const Attrs&) {
    const Shape& x = shapes.at("x");
    if (x.size() < 2) usage_error("bias: x needs at least 2 dimensions n, c, got " + to_text(x));
    family::require_shape(shapes, "b", {x[1]}, "bias: one number for each channel of x");
    shapes["y"] = x;
  };
  op.forward = [](Kernel& k, Io& io) { io.out("y", k.add(io["x"], family::per_channel(k, io["b"], io["x"]))); };
  op.backward = [](Kernel& k, Io& io) {
    io.out("dx", io["dy"]);
    io.out("db", family::channel_sum(k, io["dy"]));
  };
  return op;
}

}  // namespace fusecheck::ops
