// gelu:  y = x·Φ(x), Φ(x) = (1 + erf(x/√2))/2      dx = dy·(Φ(x) + x·Φ'(x))
//
// approximate = 1: y = x·(1 + tanh(√(2/π)·(x + 0.044715·x³)))/2. The two differ by up to 4.7e-4, so neither stands in
// for the other, and forward and backward use the same one.
//
// Example: x = 0, dy = 4  ->  y = 0, dx = 2, since Φ(0) = 1/2.
#include "family/activation.hpp"
#include "family/elementwise.hpp"

namespace fusecheck::ops {
namespace {

bool tanh_form(const Io& io) { return io.attrs().integer("approximate") == 1; }

}  // namespace

OpDef gelu() {
  OpDef op = family::unary_op(
      "gelu", "y = x*Phi(x)", family::draw_exponent,
      [](Kernel& k, Io& io) { io.out("y", k.function(tanh_form(io) ? Function::gelu_tanh : Function::gelu, io["x"])); },
      [](Kernel& k, Io& io) {
        const Function derivative = tanh_form(io) ? Function::gelu_tanh_derivative : Function::gelu_derivative;
        io.out("dx", k.mul(io["dy"], k.function(derivative, io["x"])));
      });
  op.attrs = {{.name = "approximate", .fallback = {0}, .doc = "0: with erf, 1: with tanh", .high = 1}};
  return op;
}

}  // namespace fusecheck::ops
