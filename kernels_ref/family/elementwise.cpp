#include "family/elementwise.hpp"

#include <utility>

#include "family/draw.hpp"
#include "family/move.hpp"

namespace fusecheck::family {

OpDef unary_op(std::string name, std::string formula, Draw draw, KernelFunction forward, KernelFunction backward) {
  OpDef op;
  op.name = std::move(name);
  op.formula = std::move(formula);
  op.inputs = {{.name = "x", .doc = "any shape", .draw = draw}};
  op.outputs = {{.name = "y", .doc = "the shape of x"}};
  op.infer = [](Shapes& shapes, const Attrs&) { shapes["y"] = shapes.at("x"); };
  op.forward = std::move(forward);
  op.backward = std::move(backward);
  return op;
}

OpDef binary_op(std::string name, std::string formula, Draw draw_a, Draw draw_b,
                std::function<Value(Kernel&, const Value& a, const Value& b)> forward,
                std::function<Gradients(Kernel&, Io& io, const Value& dy)> gradients) {
  OpDef op;
  op.name = std::move(name);
  op.formula = std::move(formula);
  op.inputs = {{.name = "a", .doc = "any shape", .draw = draw_a},
               {.name = "b", .doc = "a shape that broadcasts with that of a", .draw = draw_b}};
  op.outputs = {{.name = "y", .doc = "the broadcast shape"}};
  op.infer = [](Shapes& shapes, const Attrs&) {
    if (!shapes.contains("a") && shapes.contains("b")) shapes["a"] = shapes["b"];
    if (!shapes.contains("b")) shapes["b"] = shapes.at("a");
    shapes["y"] = broadcast_shape(shapes.at("a"), shapes.at("b"));
  };
  op.forward = [forward = std::move(forward)](Kernel& k, Io& io) { io.out("y", forward(k, io["a"], io["b"])); };
  op.backward = [gradients = std::move(gradients)](Kernel& k, Io& io) {
    const Gradients d = gradients(k, io, io["dy"]);
    io.out("da", sum_to(k, d.a, io["a"].shape));
    io.out("db", sum_to(k, d.b, io["b"].shape));
  };
  return op;
}

namespace {

// Who gets the gradient where two operands are equal, the attribute "ties".
enum Ties : std::int64_t { not_said = 0, half_each = 1, all_to_a = 2 };

}  // namespace

OpDef selection_op(std::string name, std::string formula, Binary which) {
  OpDef op = binary_op(
      std::move(name), std::move(formula), draw_activation, draw_activation,
      [which](Kernel& k, const Value& a, const Value& b) { return k.binary(which, a, b); },
      [](Kernel& k, Io& io, const Value& dy) {
        const std::int64_t ties = io.attrs().integer("ties");
        const Value half = k.constant(0.5), lead = k.mul(half, k.sub(io["mask"], io["mask_b"]));
        const Gradients halved = {k.mul(dy, k.add(half, lead)), k.mul(dy, k.sub(half, lead))};
        const Value b_wins = io["mask_b"];
        const Gradients to_a = {k.mul(dy, k.sub(k.constant(1), b_wins)), k.mul(dy, b_wins)};
        if (ties == half_each) return halved;
        if (ties == all_to_a) return to_a;
        return Gradients{k.either(halved.a, to_a.a), k.either(halved.b, to_a.b)};
      });
  op.attrs.push_back({.name = "ties",
                      .fallback = {0},
                      .doc = "where a = b, dy goes: 0 as 1 or 2, either is legal; 1 half to each; 2 all to a",
                      .high = 2});
  op.forward = [which, forward = op.forward](Kernel& k, Io& io) {
    const Value ahead = which == Binary::maximum ? k.sub(io["a"], io["b"]) : k.sub(io["b"], io["a"]);
    io.save("mask", k.positive(ahead));
    io.save("mask_b", k.positive(k.negate(ahead)));
    forward(k, io);
  };
  return with_masks(std::move(op), {{"mask", "[a wins]"}, {"mask_b", "[b wins]"}});
}

OpDef with_masks(OpDef op, const std::vector<Mask>& masks) {
  std::vector<std::string> names;
  for (const Mask& mask : masks) {
    names.push_back(mask.name);
    op.saved.push_back({.name = mask.name, .role = Role::mask, .doc = mask.doc});
  }
  op.infer = [infer = std::move(op.infer), names](Shapes& shapes, const Attrs& attrs) {
    infer(shapes, attrs);
    for (const std::string& name : names) shapes[name] = shapes.at("y");
  };
  return op;
}

Value dropped(Kernel& k, Io& io, const Value& x) {
  const double share = 1 - io.attrs().number("p");
  const Value kept = k.mul(x, io["keep"]);
  return k.either(k.div(kept, k.constant(share)), k.mul(kept, k.constant(1 / share)));
}

double draw_positive(const DrawContext& draw, std::int64_t element) {
  const auto i = static_cast<std::uint64_t>(element);
  if (draw.set == DataSet::exact) return static_cast<double>(std::int64_t{1} << draw.rng.integer(i, 0, 2));
  if (draw.set == DataSet::stress && element % 31 == 30) return element % 2 == 0 ? 0x1p-10 : 0x1p10;
  return 0.5 + 2 * draw.rng.uniform(i);
}

}  // namespace fusecheck::family
