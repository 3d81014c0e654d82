// elu:  y = x for x > 0, else alpha·(e^x - 1)      dx = dy·(1 for x > 0, else alpha·e^x)
//
// As legal: e^x rounded before the 1 is taken away, as frameworks do; it loses what x has below 2^-24.
//
// Example (alpha = 1/2): x = [2, 0], dy = [4, 4]  ->  y = [2, 0], dx = [4, 2].
#include "family/activation.hpp"
#include "family/elementwise.hpp"

namespace fusecheck::ops {
namespace {

// min(x, 0): the branch above 0 gives alpha·(e^0 - 1) = 0, and no overflow.
Value below_zero(Kernel& k, const Value& x) { return k.binary(Binary::minimum, x, k.constant(0)); }

}  // namespace

OpDef elu() {
  const auto alpha = [](Kernel& k, const Io& io) { return k.constant(io.attrs().number("alpha")); };
  OpDef op = family::unary_op(
      "elu", "y = x if x > 0, else alpha*(e^x - 1)", family::draw_exponent,
      [alpha](Kernel& k, Io& io) {
        const Value& x = io["x"];
        io.save("mask", k.positive(x));
        const Value z = below_zero(k, x);
        const Value less_one =
            k.either(k.function(Function::expm1, z), k.sub(k.function(Function::exp, z), k.constant(1)));
        const Value curve = k.mul(alpha(k, io), less_one);
        io.out("y", k.add(k.relu(x), curve));
      },
      [alpha](Kernel& k, Io& io) {
        const Value curve = k.mul(alpha(k, io), k.function(Function::exp, below_zero(k, io["x"])));
        io.out("dx", k.mul(io["dy"], family::leaky_slope(k, io["mask"], curve)));
      });
  op.attrs = {{.name = "alpha", .fallback = {1}, .doc = "y tends to -alpha", .high = 1e6, .whole = false}};
  return family::with_masks(std::move(op), {{"mask", "[x > 0]"}});
}

}  // namespace fusecheck::ops
