// sigmoid:  y = σ(x) = 1/(1 + e^-x)      dx = dy·y·(1 - y)
//
// The backward reads y as stored, which every framework keeps.
//
// Example: x = 0, dy = 4  ->  y = 1/2, dx = 1.
#include "family/activation.hpp"
#include "family/elementwise.hpp"

namespace fusecheck::ops {

OpDef sigmoid() {
  return family::unary_op(
      "sigmoid", "y = 1/(1 + e^-x)", family::draw_exponent,
      [](Kernel& k, Io& io) { io.out("y", k.function(Function::sigmoid, io["x"])); },
      [](Kernel& k, Io& io) {
        const Value& y = io["y"];
        io.out("dx", k.mul(k.mul(io["dy"], y), k.sub(k.constant(1), y)));
      });
}

}  // namespace fusecheck::ops
