// tanh:  y = tanh x      dx = dy·(1 - y²)
//
// The backward reads y as stored, which every framework keeps.
//
// Example: x = 0, dy = 4  ->  y = 0, dx = 4.
#include "family/activation.hpp"
#include "family/elementwise.hpp"

namespace fusecheck::ops {

OpDef tanh() {
  return family::unary_op(
      "tanh", "y = tanh(x)", family::draw_exponent,
      [](Kernel& k, Io& io) { io.out("y", k.function(Function::tanh, io["x"])); },
      [](Kernel& k, Io& io) {
        const Value& y = io["y"];
        io.out("dx", k.mul(io["dy"], k.sub(k.constant(1), k.mul(y, y))));
      });
}

}  // namespace fusecheck::ops
