// pow:  y = x^p for a constant p      dx = dy·p·x^(p - 1)
//
// A whole p up to 8 in size is a product, defined for every x; x^-p is 1/x^p. Any other p is e^(p·ln x): NaN for x < 0.
// p = 1/2 is sqrt, p = -1/2 its reciprocal.
//
// Example (p = 3): x = [2, -1], dy = [1, 2]  ->  y = [8, -1], dx = [12, 6].
#include <cmath>

#include "family/draw.hpp"
#include "family/elementwise.hpp"

namespace fusecheck::ops {
namespace {

bool is_product(double p) { return p == std::floor(p) && std::fabs(p) <= 8; }

// draw_positive; every second element below 0 where p is a product, defined there.
double draw_base(const DrawContext& draw, std::int64_t element) {
  const double value = family::draw_positive(draw, element);
  return is_product(draw.attrs.number("exponent")) && element % 2 == 1 ? -value : value;
}

// x·x·..·x, or 1 in the shape of x.
Value product(Kernel& k, const Value& x, int count) {
  if (count == 0) return k.add(k.mul(x, k.constant(0)), k.constant(1));
  Value result = x;
  for (int i = 1; i < count; ++i) result = k.mul(result, x);
  return result;
}

Value power(Kernel& k, const Value& x, double p) {
  if (is_product(p)) {
    const Value positive = product(k, x, static_cast<int>(std::fabs(p)));
    return p < 0 ? k.div(k.constant(1), positive) : positive;
  }
  if (p == 0.5) return k.sqrt(x);
  if (p == -0.5) return k.div(k.constant(1), k.sqrt(x));
  return k.function(Function::exp, k.mul(k.constant(p), k.function(Function::log, x)));
}

}  // namespace

OpDef pow() {
  OpDef op = family::unary_op(
      "pow", "y = x^p", draw_base,
      [](Kernel& k, Io& io) { io.out("y", power(k, io["x"], io.attrs().number("exponent"))); },
      [](Kernel& k, Io& io) {
        const double p = io.attrs().number("exponent");
        io.out("dx", k.mul(io["dy"], k.mul(k.constant(p), power(k, io["x"], p - 1))));
      });
  op.attrs = {{.name = "exponent", .fallback = {2}, .doc = "p", .low = -64, .high = 64, .whole = false}};
  return op;
}

}  // namespace fusecheck::ops
