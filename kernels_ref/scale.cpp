// scale:  y = s·x for a constant s      dx = s·dy
//
// Example (scale = 1/2): x = [2, -4], dy = [6, 8]  ->  y = [1, -2], dx = [3, 4].
#include "family/draw.hpp"
#include "family/elementwise.hpp"

namespace fusecheck::ops {

OpDef scale() {
  const auto factor = [](Kernel& k, const Io& io) { return k.constant(io.attrs().number("scale")); };
  OpDef op = family::unary_op(
      "scale", "y = scale*x", family::draw_activation,
      [factor](Kernel& k, Io& io) { io.out("y", k.mul(io["x"], factor(k, io))); },
      [factor](Kernel& k, Io& io) { io.out("dx", k.mul(io["dy"], factor(k, io))); });
  op.attrs = {{.name = "scale", .fallback = {0.125}, .doc = "s", .low = -1e18, .whole = false}};
  return op;
}

}  // namespace fusecheck::ops
