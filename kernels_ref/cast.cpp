// cast:  y = x rounded to a type      dx = dy (a rounding has derivative 1)
//
// A body may also write f16(x), bf16(x) or f32(x).
//
// Example (to = 1, bf16): x = 257, dy = 3  ->  y = 256, dx = 3, since bf16 holds even integers only from 256 on.
#include "family/draw.hpp"
#include "family/elementwise.hpp"

namespace fusecheck::ops {

OpDef cast() {
  OpDef op = family::unary_op(
      "cast", "y = x, rounded", family::draw_activation,
      [](Kernel& k, Io& io) {
        constexpr DType types[] = {DType::f16, DType::bf16, DType::f32};
        io.out("y", k.cast(types[io.attrs().integer("to")], io["x"]));
      },
      [](Kernel&, Io& io) { io.out("dx", io["dy"]); });
  op.attrs = {{.name = "to", .fallback = {1}, .doc = "0 f16, 1 bf16, 2 f32", .high = 2}};
  op.structural = {{"y", "x itself where the type holds it", false},
                   {"dx", "the gradient of a rounding is dy itself", false}};
  return op;
}

}  // namespace fusecheck::ops
