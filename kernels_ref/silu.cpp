// silu:  y = x·σ(x) = x/(1 + e^-x)      dx = dy·σ(x)·(1 + x·(1 - σ(x)))
//
// Example: x = 0, dy = 4  ->  y = 0, dx = 2, since σ(0) = 1/2.
#include "family/activation.hpp"
#include "family/elementwise.hpp"

namespace fusecheck::ops {

OpDef silu() {
  return family::unary_op(
      "silu", "y = x*sigmoid(x)", family::draw_exponent,
      [](Kernel& k, Io& io) { io.out("y", k.function(Function::silu, io["x"])); },
      [](Kernel& k, Io& io) { io.out("dx", k.mul(io["dy"], k.function(Function::silu_derivative, io["x"]))); });
}

}  // namespace fusecheck::ops
