// exp:  y = e^x      dx = dy·y
//
// The backward reads y as stored, which every framework keeps.
//
// Example: x = 0, dy = 3  ->  y = 1, dx = 3.
#include "family/draw.hpp"
#include "family/elementwise.hpp"

namespace fusecheck::ops {

OpDef exp() {
  return family::unary_op(
      "exp", "y = e^x", family::draw_activation,
      [](Kernel& k, Io& io) { io.out("y", k.function(Function::exp, io["x"])); },
      [](Kernel& k, Io& io) { io.out("dx", k.mul(io["dy"], io["y"])); });
}

}  // namespace fusecheck::ops
