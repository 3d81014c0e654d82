// sub:  y = a - b      da = dy      db = -dy      (each summed over the axes along which it was repeated)
//
// Example: a = [1, 2], b = [10, 20], dy = [3, 4]  ->  y = [-9, -18], da = [3, 4], db = [-3, -4].
#include "family/draw.hpp"
#include "family/elementwise.hpp"

namespace fusecheck::ops {

OpDef sub() {
  OpDef op = family::binary_op(
      "sub", "y = a - b", family::draw_activation, family::draw_activation,
      [](Kernel& k, const Value& a, const Value& b) { return k.sub(a, b); },
      [](Kernel& k, Io&, const Value& dy) {
        return family::Gradients{dy, k.negate(dy)};
      });
  op.structural = {{"da", "the gradient of a difference is dy itself", false},
                   {"db", "the gradient of a difference is -dy", false}};
  return op;
}

}  // namespace fusecheck::ops
