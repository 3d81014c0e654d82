// LinearCrossEntropy:  logits = x·wᵀ, w [classes, k],  y = cross_entropy(logits, target)
//   dlogits = (softmax(logits) - one_hot(target))·g,  dx = dlogits·w,  dw = dlogitsᵀ·x
//
// Recipe fused: the logits stay in f32 and are formed again for the backward; dlogits is rounded once, to the operand
// type of the two products. Budget: dlogits and the output's own rounding: 2.
//
// Example (k = 1, two classes, reduction = 2): x = 1, w = [0, 0], target = 1, dy = 4: logits = [0, 0], y = ln 2,
//   dlogits = [2, -2], dx = 0, dw = [2, -2].
#include "family/cross_entropy.hpp"
#include "family/draw.hpp"
#include "family/matmul.hpp"
#include "family/move.hpp"

namespace fusecheck::ops {
namespace {

// As the operands of any product; stress: by the first column, logits of some rows are all 100 larger, so that e^logit
// overflows unless the maximum is subtracted.
bool in_first_column(const DrawContext& draw, std::int64_t element) {
  return draw.set == DataSet::stress && draw.shape.size() > 1 && draw.shape.back() > 1 &&
         element % draw.shape.back() == 0;
}
double draw_x(const DrawContext& draw, std::int64_t element) {
  const bool large = in_first_column(draw, element) && family::is_overflowing_row(draw, draw.shape.size() - 2, element);
  return large ? 100 : family::draw_activation(draw, element);
}
double draw_w(const DrawContext& draw, std::int64_t element) {
  return in_first_column(draw, element) ? 1 : family::draw_right(draw, element, 1);
}

Value logits(Kernel& k, Io& io) { return k.round("logits", family::matmul(k, io["x"], family::swapped(k, io["w"]))); }

void backward(Kernel& k, Io& io) {
  const Value& x = io["x"];
  const Value& w = io["w"];
  const Value dlogits = k.operand("dlogits", family::cross_entropy_gradient(k, io, logits(k, io)));
  io.out("dx", family::matmul(k, dlogits, w));
  io.out("dw", family::swapped(k, family::matmul_right_gradient(k, x, dlogits, {w.shape[1], w.shape[0]})));
}

}  // namespace

OpDef linear_cross_entropy() {
  Recipe fused;
  fused.name = "fused";
  fused.doc = "logits kept in f32 and formed again for the backward";
  fused.forward = [](Kernel& k, Io& io) { io.out("y", family::cross_entropy(k, io, logits(k, io))); };
  fused.backward = backward;
  fused.budget = 2;
  OpDef op;
  op.name = "LinearCrossEntropy";
  op.aliases = {"FusedLinearCrossEntropyLoss"};
  op.formula = "y = cross_entropy(x*transpose(w), target)";
  op.body = "logits = matmul(x, w, n=classes, transpose_a=0, transpose_b=1); y = cross_entropy(logits, target)";
  op.inputs = {{.name = "x", .doc = ".., m, k", .draw = draw_x}, {.name = "w", .doc = "classes, k", .draw = draw_w}};
  op.recipes = {fused};
  return op;
}

}  // namespace fusecheck::ops
