// rotary_embedding:  y = x·cos + r(x)·sin      dx = dy·cos - r(dy·sin)
//
// x [.., s, d] with an even d; cos, sin [s, d]. r turns pairs by a quarter: r(x) = (-x2, x1) for the halves x1, x2 of a
// row; interleaved = 1 pairs neighbours: r(x)[2j] = -x[2j + 1], r(x)[2j + 1] = x[2j]. The transpose of r is -r.
//
// Example (s = 1, d = 2): x = [1, 2], cos = [3, 3], sin = [5, 5], dy = [1, 0]
//   r(x) = [-2, 1], y = [-7, 11];  dy·sin = [5, 0], r = [0, 5], dx = [3, -5].
#include <utility>

#include "family/conv.hpp"
#include "family/draw.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

//   exact   -1, 0, 1      random, stress  uniform in [-1, 1]
double draw_turn(const DrawContext& draw, std::int64_t element) {
  const auto i = static_cast<std::uint64_t>(element);
  if (draw.set == DataSet::exact) return static_cast<double>(draw.rng.integer(i, -1, 1));
  return 2 * draw.rng.uniform(i) - 1;
}

void infer(Shapes& shapes, const Attrs&) {
  const Shape x = shapes.at("x");
  if (x.size() < 2 || x.back() % 2 != 0) {
    usage_error("rotary_embedding: x is " + to_text(x) + "; it needs two numbers s, d at least, and an even d");
  }
  const Shape row(x.end() - 2, x.end());
  for (const char* name : {"cos", "sin"}) family::require_shape(shapes, name, row, "s, d of x");
  shapes["y"] = x;
}

Indices shared(std::vector<std::int64_t> from) {
  return std::make_shared<const std::vector<std::int64_t>>(std::move(from));
}

Value turned(Kernel& k, const Value& x, bool interleaved) {
  const std::int64_t d = x.shape.back(), half = d / 2;
  const auto first = [&](std::int64_t j) { return interleaved ? j % 2 == 0 : j < half; };
  const std::int64_t reach = interleaved ? 1 : half;
  std::vector<std::int64_t> partner, sign;
  for (std::int64_t j = 0; j < d; ++j) sign.push_back(first(j) ? 0 : 1);
  for (std::int64_t i = 0; i < element_count(x.shape); ++i) partner.push_back(first(i % d) ? i + reach : i - reach);
  const Value signs = k.join({k.reshape(k.constant(-1), {1}), k.reshape(k.constant(1), {1})}, 0);
  return k.mul(k.pick(x, x.shape, shared(std::move(partner)), 0), k.pick(signs, {d}, shared(std::move(sign)), 0));
}

bool interleaved(const Io& io) { return io.attrs().integer("interleaved") == 1; }

}  // namespace

OpDef rotary_embedding() {
  OpDef op;
  op.name = "rotary_embedding";
  op.formula = "y = x*cos + r(x)*sin, r turning pairs by a quarter";
  op.inputs = {{.name = "x", .doc = ".., s, d", .draw = family::draw_activation},
               {.name = "cos", .doc = "s, d", .draw = draw_turn, .gradient = false},
               {.name = "sin", .doc = "s, d", .draw = draw_turn, .gradient = false}};
  op.outputs = {{.name = "y", .doc = "the shape of x"}};
  op.attrs = {{.name = "interleaved", .fallback = {0}, .doc = "0: the halves of a row pair, 1: neighbours", .high = 1}};
  op.infer = infer;
  op.forward = [](Kernel& k, Io& io) {
    const Value& x = io["x"];
    io.out("y", k.add(k.mul(x, io["cos"]), k.mul(turned(k, x, interleaved(io)), io["sin"])));
  };
  op.backward = [](Kernel& k, Io& io) {
    const Value& dy = io["dy"];
    io.out("dx", k.sub(k.mul(dy, io["cos"]), turned(k, k.mul(dy, io["sin"]), interleaved(io))));
  };
  return op;
}

}  // namespace fusecheck::ops
