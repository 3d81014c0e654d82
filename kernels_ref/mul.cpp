// mul:  y = a·b      da = dy·b      db = dy·a      (each summed over the axes along which it was repeated)
//
// Example: a = [1, 2], b = [10, 20], dy = [3, 4]  ->  y = [10, 40], da = [30, 80], db = [3, 8].
#include "family/draw.hpp"
#include "family/elementwise.hpp"

namespace fusecheck::ops {

OpDef mul() {
  return family::binary_op(
      "mul", "y = a*b", family::draw_activation, family::draw_activation,
      [](Kernel& k, const Value& a, const Value& b) { return k.mul(a, b); },
      [](Kernel& k, Io& io, const Value& dy) {
        return family::Gradients{k.mul(dy, io["b"]), k.mul(dy, io["a"])};
      });
}

}  // namespace fusecheck::ops
