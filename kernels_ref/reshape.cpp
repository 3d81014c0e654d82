// reshape:  y = the elements of x, row-major, in another shape      dx = those of dy in the shape of x
//
// One number may be -1: what the others leave. 0 keeps the number of x at that place (ONNX).
//
// Example (shape = 2, -1): x = [1, 2, 3, 4], dy = [[5, 6], [7, 8]]  ->  y = [[1, 2], [3, 4]], dx = [5, 6, 7, 8].
#include "family/draw.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

Shape reshaped(const Shape& x, const Attrs& attrs) {
  Shape y;
  std::int64_t known = 1, open = -1;
  for (const double number : attrs.list("shape")) {
    const std::size_t i = y.size();
    y.push_back(static_cast<std::int64_t>(number));
    if (y[i] == 0 && i < x.size()) y[i] = x[i];
    if (y[i] >= 0) known *= y[i];
    if (y[i] < 0) open = open < 0 ? static_cast<std::int64_t>(i) : -2;
  }
  if (open >= 0 && known > 0) y[static_cast<std::size_t>(open)] = element_count(x) / known;
  for (const std::int64_t number : y) {
    if (number < 0) usage_error("reshape: " + to_text(x) + " into " + to_text(y) + ": -1 may stand once, beside no 0");
  }
  if (element_count(y) != element_count(x)) {
    usage_error("reshape: " + to_text(x) + " has " + std::to_string(element_count(x)) + " elements, " + to_text(y) +
                " has " + std::to_string(element_count(y)) + "; give as many");
  }
  return y;
}

}  // namespace

OpDef reshape() {
  OpDef op;
  op.name = "reshape";
  op.formula = "y = x in another shape";
  op.inputs = {{.name = "x", .doc = "any shape", .draw = family::draw_activation}};
  op.outputs = {{.name = "y", .doc = "the shape asked for"}};
  op.attrs = {{.name = "shape",
               .fallback = {-1},
               .doc = "numbers of y (-1: what is left, 0: as x)",
               .low = -1,
               .high = 1 << 30,
               .counts = {1, 2, 3, 4, 5, 6, 7, 8}}};
  op.structural = {{"y", "the elements of x in another shape", false},
                   {"dx", "the elements of dy in another shape", false}};
  op.infer = [](Shapes& shapes, const Attrs& attrs) { shapes["y"] = reshaped(shapes.at("x"), attrs); };
  op.forward = [](Kernel& k, Io& io) { io.out("y", k.reshape(io["x"], reshaped(io["x"].shape, io.attrs()))); };
  op.backward = [](Kernel& k, Io& io) { io.out("dx", k.reshape(io["dy"], io["x"].shape)); };
  return op;
}

}  // namespace fusecheck::ops
