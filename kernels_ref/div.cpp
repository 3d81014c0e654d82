// div:  y = a/b      da = dy/b      db = -dy·(a/b)/b      (each summed over the axes along which it was repeated)
//
// Example: a = [6, 8], b = [2, 4], dy = [4, 8]  ->  y = [3, 2], da = [2, 2], db = [-6, -4].
#include "family/draw.hpp"
#include "family/elementwise.hpp"

namespace fusecheck::ops {

OpDef div() {
  return family::binary_op(
      "div", "y = a/b", family::draw_activation, family::draw_positive,
      [](Kernel& k, const Value& a, const Value& b) { return k.div(a, b); },
      [](Kernel& k, Io& io, const Value& dy) {
        const Value da = k.div(dy, io["b"]), y = k.div(io["a"], io["b"]);
        // In which order makes no difference but for subnormals on the way: dy·y loses bits that a small b makes count.
        return family::Gradients{da, k.negate(k.either(k.mul(da, y), k.div(k.mul(dy, y), io["b"])))};
      });
}

}  // namespace fusecheck::ops
