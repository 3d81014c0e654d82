// mish:  y = x·t, t = tanh(softplus(x))      dx = dy·(t + x·σ(x)·(1 - t²))
//
// Example: x = 0, dy = 5  ->  y = 0, dx = 3, since e^softplus(0) = 2 and tanh(ln 2) = (2 - 1/2)/(2 + 1/2) = 3/5.
#include "family/activation.hpp"
#include "family/elementwise.hpp"

namespace fusecheck::ops {

OpDef mish() {
  return family::unary_op(
      "mish", "y = x*tanh(ln(1 + e^x))", family::draw_exponent,
      [](Kernel& k, Io& io) { io.out("y", k.function(Function::mish, io["x"])); },
      [](Kernel& k, Io& io) { io.out("dx", k.mul(io["dy"], k.function(Function::mish_derivative, io["x"]))); });
}

}  // namespace fusecheck::ops
