// prelu:  y[n,c,..] = x for x > 0, else alpha[c]·x
//   dx = dy·(1 for x > 0, else alpha[c])      dalpha[c] = Σ_{n,..} dy·min(x, 0)
//
// Example: x = [[-4, 2]] (n = 1, c = 2), alpha = [1/4, 3], dy = [[8, 8]]
//   y = [[-1, 2]], dx = [[2, 8]], dalpha = [-32, 0].
#include "family/activation.hpp"
#include "family/conv.hpp"
#include "family/draw.hpp"
#include "family/elementwise.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::ops {
namespace {

void infer(Shapes& shapes, const Attrs&) {
  const Shape& x = shapes.at("x");
  if (x.size() < 2) usage_error("prelu: x needs at least 2 dimensions n, c, got " + to_text(x));
  family::require_shape(shapes, "alpha", {x[1]}, "prelu: one slope for each channel of x");
  shapes["y"] = x;
}

void backward(Kernel& k, Io& io) {
  const Value& x = io["x"];
  const Value alpha = family::per_channel(k, io["alpha"], x);
  io.out("dx", k.mul(io["dy"], family::leaky_slope(k, io["mask"], alpha)));
  io.out("dalpha", family::channel_sum(k, k.mul(io["dy"], k.binary(Binary::minimum, x, k.constant(0)))));
}

}  // namespace

OpDef prelu() {
  OpDef op = family::unary_op(
      "prelu", "y[n,c] = x if x > 0, else alpha[c]*x", family::draw_activation,
      [](Kernel& k, Io& io) {
        io.save("mask", k.positive(io["x"]));
        io.out("y", family::leaky(k, io["x"], family::per_channel(k, io["alpha"], io["x"])));
      },
      backward);
  op.inputs[0].doc = "n, c, ...";
  op.inputs.push_back(
      {.name = "alpha", .role = Role::parameter, .doc = "c: slopes below 0", .draw = family::draw_shift});
  op.infer = infer;
  return family::with_masks(std::move(op), {{"mask", "[x > 0]"}});
}

}  // namespace fusecheck::ops
