#include "family/activation.hpp"

#include <utility>

#include "family/draw.hpp"
#include "family/elementwise.hpp"

namespace fusecheck::family {

// One of the two terms is 0, so the sum is exact.
Value leaky(Kernel& k, const Value& x, const Value& slope) {
  return k.sub(k.relu(x), k.mul(slope, k.relu(k.negate(x))));
}

Value leaky_slope(Kernel& k, const Value& mask, const Value& slope) {
  const Value one = k.constant(1);
  const Value chosen = k.add(mask, k.mul(k.sub(one, mask), slope));
  // Changes no value; where the mask is open, the interval ends at 1 and at the slope.
  return k.binary(Binary::minimum, k.binary(Binary::maximum, chosen, k.binary(Binary::minimum, one, slope)),
                  k.binary(Binary::maximum, one, slope));
}

Between between(Kernel& k, const Value& x, double low, double high) {
  const Value over = k.sub(x, k.constant(low)), under = k.sub(k.constant(high), x);
  const auto not_negative = [&](const Value& v) { return k.sub(k.constant(1), k.positive(k.negate(v))); };
  return {k.either(k.positive(over), not_negative(over)), k.either(k.positive(under), not_negative(under))};
}

Value sixth(Kernel& k, const Value& x) { return k.either(k.div(x, k.constant(6)), k.mul(x, k.constant(1.0 / 6))); }

namespace {

// min(max(x + 3, 0), 6)
Value lifted(Kernel& k, const Value& x) {
  return k.binary(Binary::minimum, k.relu(k.add(x, k.constant(3))), k.constant(6));
}

}  // namespace

Value hard_gate(Kernel& k, const Value& x) {
  const Value line = k.add(k.mul(x, k.constant(1.0 / 6)), k.constant(0.5));
  return k.either(sixth(k, lifted(k, x)), k.binary(Binary::minimum, k.relu(line), k.constant(1)));
}

Value hard_swish(Kernel& k, const Value& x) {
  return k.either(sixth(k, k.mul(x, lifted(k, x))), k.mul(x, hard_gate(k, x)));
}

Value hard_swish_slope(Kernel& k, const Value& x, const Between& inside) {
  const Value line =
      k.either(sixth(k, k.add(k.add(x, x), k.constant(3))), k.add(k.div(x, k.constant(3)), k.constant(0.5)));
  return k.mul(inside.above, leaky_slope(k, k.sub(k.constant(1), inside.below), line));
}

OpDef op_between(std::string name, std::string formula, int low, int high, Value (*forward)(Kernel&, const Value& x),
                 Value (*backward)(Kernel&, Io&, const Between& inside)) {
  OpDef op = unary_op(
      std::move(name), std::move(formula), draw_wide,
      [=](Kernel& k, Io& io) {
        const Between inside = between(k, io["x"], low, high);
        io.save("mask", inside.above);
        io.save("mask_high", inside.below);
        io.out("y", forward(k, io["x"]));
      },
      [=](Kernel& k, Io& io) {
        io.out("dx", backward(k, io, {io["mask"], io["mask_high"]}));
      });
  return with_masks(std::move(op), {{"mask", "[x > " + std::to_string(low) + "]"},
                                    {"mask_high", "[x < " + std::to_string(high) + "]"}});
}

double draw_wide(const DrawContext& draw, std::int64_t element) {
  const auto i = static_cast<std::uint64_t>(element);
  if (draw.set == DataSet::exact) return static_cast<double>(draw.rng.integer(i, -4, 8));
  if (draw.set == DataSet::random) return 0.25 + 2.5 * draw.rng.normal(i);
  if (element % 31 == 30) return smallest_subnormal(draw.dtype) * static_cast<double>(draw.rng.integer(i, 1, 100));
  return 0.5 + 4 * draw.rng.normal(i);
}

double draw_exponent(const DrawContext& draw, std::int64_t element) {
  if (draw.set != DataSet::stress || element % 31 == 30) return draw_activation(draw, element);
  const auto i = static_cast<std::uint64_t>(element);
  const double normal = draw.rng.normal(i), uniform = draw.rng.uniform(i + (1ULL << 40));
  const double sign = element / 8 % 2 == 0 ? 1 : -1;
  switch (element % 8) {
    case 2:
    case 5:
      return sign * (4 + 8 * uniform);
    case 7:
      return sign * (90 + 30 * uniform);
    default:
      return 2 * normal;
  }
}

}  // namespace fusecheck::family
