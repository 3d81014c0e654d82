// leaky_relu:  y = x for x > 0, else alpha·x      dx = dy·(1 for x > 0, else alpha)
//
// Example (alpha = 1/4): x = [-4, 0, 2], dy = [8, 8, 8]  ->  y = [-1, 0, 2], dx = [2, 2, 8].
#include "family/activation.hpp"
#include "family/draw.hpp"
#include "family/elementwise.hpp"

namespace fusecheck::ops {

OpDef leaky_relu() {
  const auto alpha = [](Kernel& k, const Io& io) { return k.constant(io.attrs().number("alpha")); };
  OpDef op = family::unary_op(
      "leaky_relu", "y = x if x > 0, else alpha*x", family::draw_activation,
      [alpha](Kernel& k, Io& io) {
        io.save("mask", k.positive(io["x"]));
        io.out("y", family::leaky(k, io["x"], alpha(k, io)));
      },
      [alpha](Kernel& k, Io& io) { io.out("dx", k.mul(io["dy"], family::leaky_slope(k, io["mask"], alpha(k, io)))); });
  op.attrs = {{.name = "alpha", .fallback = {0.01}, .doc = "slope below 0", .low = -1e6, .high = 1e6, .whole = false}};
  return family::with_masks(std::move(op), {{"mask", "[x > 0]"}});
}

}  // namespace fusecheck::ops
