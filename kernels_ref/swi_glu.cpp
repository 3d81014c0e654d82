// SwiGlu:  x = (a, b) halves along the last axis,  y = silu(a)·b
//   da = dy·b·σ(a)·(1 + a·(1 - σ(a)))      db = dy·silu(a)      dx = (da, db)
//
// Recipe fused: everything in f32, one rounding of y and of dx: budget 1.
//
// Example: x = [0, 3], dy = [4]: a = 0, b = 3  ->  y = 0, da = 4·3/2 = 6, db = 0, dx = [6, 0].
#include "family/activation.hpp"
#include "family/gated.hpp"

namespace fusecheck::ops {

OpDef swi_glu() {
  OpDef op;
  op.name = "SwiGlu";
  op.formula = "y = silu(a)*b, x = (a, b)";
  op.body =
      "a = split(x, axis=-1, parts=2, index=0); b = split(x, axis=-1, parts=2, index=1); g = silu(a); y = mul(g, b)";
  op.inputs = {{.name = "x", .doc = "any shape of rank 1 or more", .draw = family::draw_exponent}};
  op.recipes = {family::gated_recipe(
      0, [](const Attrs&) { return Function::silu; }, [](const Attrs&) { return Function::silu_derivative; })};
  return op;
}

}  // namespace fusecheck::ops
