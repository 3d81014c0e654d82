// GeGlu:  x = (a, b) halves along the last axis,  y = a·gelu(b)      (CANN's default: the right half is the gate)
//   da = dy·gelu(b)      db = dy·a·gelu'(b)      dx = (da, db)
//
// Recipe fused: everything in f32, one rounding of y and of dx: budget 1.
//
// Example: x = [3, 0], dy = [4]: a = 3, b = 0  ->  y = 0, da = 0, db = 4·3/2 = 6, dx = [0, 6].
#include "family/activation.hpp"
#include "family/gated.hpp"

namespace fusecheck::ops {

OpDef ge_glu() {
  const auto tanh_form = [](const Attrs& attrs) { return attrs.integer("approximate") == 1; };
  OpDef op;
  op.name = "GeGlu";
  op.formula = "y = a*gelu(b), x = (a, b)";
  op.body =
      "a = split(x, axis=-1, parts=2, index=0); b = split(x, axis=-1, parts=2, index=1); g = gelu(b); y = mul(a, g)";
  op.inputs = {{.name = "x", .doc = "any shape of rank 1 or more", .draw = family::draw_exponent}};
  op.recipes = {family::gated_recipe(
      1, [tanh_form](const Attrs& attrs) { return tanh_form(attrs) ? Function::gelu_tanh : Function::gelu; },
      [tanh_form](const Attrs& attrs) {
        return tanh_form(attrs) ? Function::gelu_tanh_derivative : Function::gelu_derivative;
      })};
  return op;
}

}  // namespace fusecheck::ops
