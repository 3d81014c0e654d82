// abs:  y = |x|      dx = dy·sign(x), sign(0) = 0
//
// Example: x = [-2, 0, 3], dy = [5, 5, 5]  ->  y = [2, 0, 3], dx = [-5, 0, 5].
#include "family/draw.hpp"
#include "family/elementwise.hpp"

namespace fusecheck::ops {

OpDef abs() {
  OpDef op = family::unary_op(
      "abs", "y = |x|", family::draw_activation,
      [](Kernel& k, Io& io) {
        io.save("mask", k.positive(io["x"]));
        io.out("y", k.unary(Unary::absolute, io["x"]));
      },
      [](Kernel& k, Io& io) {
        const Value sign = k.sub(io["mask"], k.positive(k.negate(io["x"])));
        io.out("dx", k.mul(io["dy"], sign));
      });
  return family::with_masks(std::move(op), {{"mask", "[x > 0]"}});
}

}  // namespace fusecheck::ops
