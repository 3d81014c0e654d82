// matmul:  c[.., i, j] = Σ_k a[.., i, k]·b[.., k, j]      da = dc·bᵀ      db = aᵀ·dc
//
// The leading axes broadcast as numpy's do; gradients are summed over the axes along which an operand was repeated.
// transpose_a, transpose_b: the last two axes of that operand are stored swapped.
//
// Example: a = [[1, 2], [3, 4]], b = [[1, 0], [2, 1]], dc = [[1, 1], [1, 1]]
//   c = [[5, 2], [11, 4]],  da = [[1, 3], [1, 3]],  db = [[4, 4], [6, 6]].
#include "family/matmul.hpp"

#include "family/draw.hpp"
#include "family/move.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

double draw_right(const DrawContext& draw, std::int64_t element) {
  const bool swapped = draw.attrs.has("transpose_b") && draw.attrs.integer("transpose_b") == 1;
  return family::draw_right(draw, element, swapped ? 1 : 2);
}

Shape swapped_if(Shape shape, bool swap) {
  if (swap && shape.size() >= 2) std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  return shape;
}

void infer(Shapes& shapes, const Attrs& attrs) {
  const bool ta = attrs.integer("transpose_a") == 1, tb = attrs.integer("transpose_b") == 1;
  const Shape a = swapped_if(shapes.at("a"), ta);
  if (a.size() < 2) usage_error("a has shape " + to_text(a) + ": matmul needs at least two numbers, rows and columns");
  if (!shapes.contains("b")) {
    const std::int64_t asked = attrs.integer("n");
    shapes["b"] = swapped_if({a.back(), asked > 0 ? asked : a.back()}, tb);
  }
  shapes["c"] = family::matmul_shape(a, swapped_if(shapes["b"], tb));
}

Value operand(Kernel& k, Io& io, const char* name, const char* transpose) {
  return io.attrs().integer(transpose) == 1 ? family::swapped(k, io[name]) : io[name];
}

}  // namespace

OpDef matmul() {
  OpDef op;
  op.name = "matmul";
  op.formula = "c = a*b";
  op.inputs = {{.name = "a", .doc = ".., m, k", .draw = family::draw_activation},
               {.name = "b", .doc = ".., k, n", .draw = draw_right}};
  op.outputs = {{.name = "c", .doc = ".., m, n"}};
  op.attrs = {{.name = "n", .fallback = {0}, .doc = "columns of b (0: as many as rows)", .high = 1 << 24},
              {.name = "transpose_a", .fallback = {0}, .doc = "1: a is stored as .., k, m", .high = 1},
              {.name = "transpose_b", .fallback = {0}, .doc = "1: b is stored as .., n, k", .high = 1}};
  op.infer = infer;
  op.forward = [](Kernel& k, Io& io) {
    io.out("c", family::matmul(k, operand(k, io, "a", "transpose_a"), operand(k, io, "b", "transpose_b")));
  };
  op.backward = [](Kernel& k, Io& io) {
    const bool ta = io.attrs().integer("transpose_a") == 1, tb = io.attrs().integer("transpose_b") == 1;
    const Value a = operand(k, io, "a", "transpose_a"), b = operand(k, io, "b", "transpose_b");
    const Value da = family::matmul_left_gradient(k, io["dy"], b, a.shape);
    const Value db = family::matmul_right_gradient(k, a, io["dy"], b.shape);
    io.out("da", ta ? family::swapped(k, da) : da);
    io.out("db", tb ? family::swapped(k, db) : db);
  };
  return op;
}

}  // namespace fusecheck::ops
