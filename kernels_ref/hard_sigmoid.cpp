// hard_sigmoid:  y = min(max(x + 3, 0), 6)/6      dx = dy/6·[-3 < x < 3]
//
// As legal: x·(1/6) + 1/2 between 0 and 1, with 1/6 rounded.
//
// Example: x = [-4, -3, 0, 3, 5], dy = 12 each  ->  y = [0, 0, 1/2, 1, 1], dx = [0, 0, 2, 0, 0].
#include "family/activation.hpp"
#include "family/elementwise.hpp"

namespace fusecheck::ops {

OpDef hard_sigmoid() {
  OpDef op = family::unary_op(
      "hard_sigmoid", "y = min(max(x + 3, 0), 6)/6", family::draw_wide,
      [](Kernel& k, Io& io) {
        const family::Between inside = family::between(k, io["x"], -3, 3);
        io.save("mask", inside.above);
        io.save("mask_high", inside.below);
        io.out("y", family::hard_gate(k, io["x"]));
      },
      [](Kernel& k, Io& io) { io.out("dx", k.mul(family::sixth(k, io["dy"]), k.mul(io["mask"], io["mask_high"]))); });
  return family::with_masks(std::move(op), {{"mask", "[x > -3]"}, {"mask_high", "[x < 3]"}});
}

}  // namespace fusecheck::ops
