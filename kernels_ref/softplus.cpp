// softplus:  y = ln(1 + e^x)      dx = dy·σ(x)
//
// For large x it is x, and never overflows: max(x, 0) + ln(1 + e^-|x|).
//
// Example: x = 0, dy = 4  ->  y = ln 2, dx = 2.
#include "family/activation.hpp"
#include "family/elementwise.hpp"

namespace fusecheck::ops {

OpDef softplus() {
  return family::unary_op(
      "softplus", "y = ln(1 + e^x)", family::draw_exponent,
      [](Kernel& k, Io& io) { io.out("y", k.function(Function::softplus, io["x"])); },
      [](Kernel& k, Io& io) { io.out("dx", k.mul(io["dy"], k.function(Function::sigmoid, io["x"]))); });
}

}  // namespace fusecheck::ops
