// add:  y = a + b      da = dy      db = dy
//
// Example: a = [1, 2], b = [10, 20], dy = [3, 4]  ->  y = [11, 22], da = db = [3, 4].
//
// a and b have the same shape.
#include "family/draw.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {

OpDef add() {
  OpDef op;
  op.name = "add";
  op.formula = "y = a + b";
  op.inputs = {{.name = "a", .doc = "any shape", .draw = family::draw_activation},
               {.name = "b", .doc = "the shape of a", .draw = family::draw_activation}};
  op.outputs = {{.name = "y", .doc = "the shape of a"}};
  op.structural = {{"da", "the gradient of a sum is dy itself", false},
                   {"db", "the gradient of a sum is dy itself", false}};
  op.infer = [](Shapes& shapes, const Attrs&) {
    if (!shapes.contains("a") && shapes.contains("b")) shapes["a"] = shapes["b"];
    const Shape& a = shapes["a"];
    const Shape& b = shapes.contains("b") ? shapes["b"] : (shapes["b"] = a);
    if (a != b) usage_error("add: the shapes " + to_text(a) + " and " + to_text(b) + " differ; they must be equal");
    shapes["y"] = a;
  };
  op.forward = [](Kernel& k, Io& io) { io.out("y", k.add(io["a"], io["b"])); };
  op.backward = [](Kernel&, Io& io) {
    io.out("da", io["dy"]);
    io.out("db", io["dy"]);
  };
  return op;
}

}  // namespace fusecheck::ops
