#include "graph/cast.hpp"

#include "fusecheck/registry.hpp"

namespace fusecheck::graph {
namespace {

Cast cast_to(DType dtype) {
  Cast cast;
  cast.dtype = dtype;
  OpDef& op = cast.op;
  op.name = std::string(name_of(dtype));
  op.formula = "y = x, rounded to " + op.name;
  op.inputs = {{.name = "x", .doc = "any shape", .draw = find_op("cast").inputs.at(0).draw}};
  op.outputs = {{.name = "y", .doc = "the shape of x"}};
  op.infer = [](Shapes& shapes, const Attrs&) { shapes["y"] = shapes.at("x"); };
  op.forward = [](Kernel&, Io& io) { io.out("y", io["x"]); };
  op.backward = [](Kernel&, Io& io) { io.out("dx", io["dy"]); };  // rounding has derivative 1 (J3)
  return cast;
}

}  // namespace

const std::vector<Cast>& all_casts() {
  static const std::vector<Cast> casts = {cast_to(DType::f16), cast_to(DType::bf16), cast_to(DType::f32)};
  return casts;
}

}  // namespace fusecheck::graph
