// hard_swish:  y = x·min(max(x + 3, 0), 6)/6
//   dx = 0 for x <= -3, dy for x >= 3, dy·(2x + 3)/6 between
//
// Example: x = [-4, -3, 0, 3, 6], dy = 4 each  ->  y = [0, 0, 0, 3, 6], dx = [0, 0, 2, 4, 4].
#include "family/activation.hpp"
#include "family/elementwise.hpp"

namespace fusecheck::ops {

OpDef hard_swish() {
  OpDef op = family::unary_op(
      "hard_swish", "y = x*min(max(x + 3, 0), 6)/6", family::draw_wide,
      [](Kernel& k, Io& io) {
        const family::Between inside = family::between(k, io["x"], -3, 3);
        io.save("mask", inside.above);
        io.save("mask_high", inside.below);
        io.out("y", family::hard_swish(k, io["x"]));
      },
      [](Kernel& k, Io& io) {
        io.out("dx", k.mul(io["dy"], family::hard_swish_slope(k, io["x"], {io["mask"], io["mask_high"]})));
      });
  return family::with_masks(std::move(op), {{"mask", "[x > -3]"}, {"mask_high", "[x < 3]"}});
}

}  // namespace fusecheck::ops
