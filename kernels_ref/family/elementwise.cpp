#include "family/elementwise.hpp"

#include <utility>

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

double draw_positive(const DrawContext& draw, std::int64_t element) {
  const auto i = static_cast<std::uint64_t>(element);
  if (draw.set == DataSet::exact) return static_cast<double>(std::int64_t{1} << draw.rng.integer(i, 0, 2));
  if (draw.set == DataSet::stress && element % 31 == 30) return element % 2 == 0 ? 0x1p-10 : 0x1p10;
  return 0.5 + 2 * draw.rng.uniform(i);
}

}  // namespace fusecheck::family
