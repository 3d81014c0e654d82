// reduce_max:  y = max x over the axes      dx = dy at the first (row-major) largest element, 0 elsewhere
//
// NaN where one element is NaN. An axis of length 0 has no largest element: refused.
//
// Example (axes = -1): x = [[1, 3, 3]], dy = [[4]]  ->  y = [[3]], dx = [[0, 4, 0]].
#include "family/draw.hpp"
#include "family/reduce.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::ops {
namespace {

// Maxima that differ from row to row, however long the rows: normal in steps of 1/16 for exact data.
double draw_peaks(const DrawContext& draw, std::int64_t element) {
  if (draw.set != DataSet::exact) return family::draw_activation(draw, element);
  return round_to(DType::i32, 16 * draw.rng.normal(static_cast<std::uint64_t>(element))) / 16;
}

}  // namespace

OpDef reduce_max() {
  OpDef op = family::reduction_op(
      "reduce_max", "y = max(x)", draw_peaks,
      [](Kernel& k, Io& io, const std::vector<int>& axes) {
        io.save("mask", k.first_maximum(io["x"], axes));
        return k.maximum(io["x"], axes);
      },
      [](Kernel& k, Io& io, const Value& dy, const std::vector<int>&) { return k.mul(dy, io["mask"]); });
  op.saved = {{.name = "mask", .role = Role::mask, .doc = "1 at the first largest element"}};
  op.infer = [infer = op.infer](Shapes& shapes, const Attrs& attrs) {
    infer(shapes, attrs);
    const Shape& x = shapes["mask"] = shapes.at("x");
    if (element_count(x) == 0 && element_count(shapes.at("y")) != 0) {
      usage_error("reduce_max: x is " + to_text(x) + ": an axis of length 0 has no largest element");
    }
  };
  return op;
}

}  // namespace fusecheck::ops
