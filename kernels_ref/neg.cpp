// neg:  y = -x      dx = -dy
//
// Example: x = [1, -2], dy = [3, 4]  ->  y = [-1, 2], dx = [-3, -4].
#include "family/draw.hpp"
#include "family/elementwise.hpp"

namespace fusecheck::ops {

OpDef neg() {
  OpDef op = family::unary_op(
      "neg", "y = -x", family::draw_activation, [](Kernel& k, Io& io) { io.out("y", k.negate(io["x"])); },
      [](Kernel& k, Io& io) { io.out("dx", k.negate(io["dy"])); });
  op.structural = {{"dx", "the gradient of a negation is -dy", false}};
  return op;
}

}  // namespace fusecheck::ops
