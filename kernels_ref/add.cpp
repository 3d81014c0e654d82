// add:  y = a + b      da = dy      db = dy      (each summed over the axes along which it was repeated)
//
// Example: a = [1, 2], b = [10, 20], dy = [3, 4]  ->  y = [11, 22], da = db = [3, 4].
#include "family/draw.hpp"
#include "family/elementwise.hpp"

namespace fusecheck::ops {

OpDef add() {
  OpDef op = family::binary_op(
      "add", "y = a + b", family::draw_activation, family::draw_activation,
      [](Kernel& k, const Value& a, const Value& b) { return k.add(a, b); },
      [](Kernel&, Io&, const Value& dy) {
        return family::Gradients{dy, dy};
      });
  op.structural = {{"da", "the gradient of a sum is dy itself", false},
                   {"db", "the gradient of a sum is dy itself", false}};
  return op;
}

}  // namespace fusecheck::ops
