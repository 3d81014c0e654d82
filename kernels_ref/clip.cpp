// clip:  y = min(max(x, low), high)      dx = dy·[low <= x <= high]
//
// At the limits themselves the gradient passes (PyTorch's clamp), at NaN too.
//
// Example (low = -1, high = 2): x = [-3, -1, 1, 5], dy = [4, 4, 4, 4]  ->  y = [-1, -1, 1, 2], dx = [0, 4, 4, 0].
#include "family/draw.hpp"
#include "family/elementwise.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::ops {
namespace {

Value limit(Kernel& k, const Io& io, const char* name) { return k.constant(io.attrs().number(name)); }

void forward(Kernel& k, Io& io) {
  const Value& x = io["x"];
  const Value low = limit(k, io, "low"), high = limit(k, io, "high");
  io.save("mask", k.sub(k.constant(1), k.positive(k.sub(low, x))));
  io.save("mask_high", k.sub(k.constant(1), k.positive(k.sub(x, high))));
  io.out("y", k.binary(Binary::minimum, k.binary(Binary::maximum, x, low), high));
}

}  // namespace

OpDef clip() {
  OpDef op =
      family::unary_op("clip", "y = min(max(x, low), high)", family::draw_activation, forward,
                       [](Kernel& k, Io& io) { io.out("dx", k.mul(io["dy"], k.mul(io["mask"], io["mask_high"]))); });
  op.attrs = {{.name = "low", .fallback = {-1}, .doc = "smallest y", .low = -1e18, .whole = false},
              {.name = "high", .fallback = {1}, .doc = "largest y", .low = -1e18, .whole = false}};
  op = family::with_masks(std::move(op), {{"mask", "[x >= low]"}, {"mask_high", "[x <= high]"}});
  op.infer = [infer = op.infer](Shapes& shapes, const Attrs& attrs) {
    if (!(attrs.number("low") < attrs.number("high"))) {
      usage_error("clip: low " + std::to_string(attrs.number("low")) + " is not below high " +
                  std::to_string(attrs.number("high")));
    }
    infer(shapes, attrs);
  };
  return op;
}

}  // namespace fusecheck::ops
