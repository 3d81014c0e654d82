// relu6:  y = min(max(x, 0), 6)      dx = dy·[0 < x < 6]
//
// Example: x = [-1, 0, 2, 6, 8], dy = 3 each  ->  y = [0, 0, 2, 6, 6], dx = [0, 0, 3, 0, 0].
#include "family/activation.hpp"
#include "family/elementwise.hpp"

namespace fusecheck::ops {

OpDef relu6() {
  OpDef op = family::unary_op(
      "relu6", "y = min(max(x, 0), 6)", family::draw_wide,
      [](Kernel& k, Io& io) {
        const Value& x = io["x"];
        const Value six = k.constant(6);
        io.save("mask", k.positive(x));
        io.save("mask_high", k.positive(k.sub(six, x)));
        io.out("y", k.binary(Binary::minimum, k.relu(x), six));
      },
      [](Kernel& k, Io& io) { io.out("dx", k.mul(io["dy"], k.mul(io["mask"], io["mask_high"]))); });
  return family::with_masks(std::move(op), {{"mask", "[x > 0]"}, {"mask_high", "[x < 6]"}});
}

}  // namespace fusecheck::ops
