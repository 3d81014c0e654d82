// LinearCrossEntropy:  logits = x·wᵀ, w [classes, k],  y = cross_entropy(logits, target)
//   dlogits = (softmax(logits) - one_hot(target))·g,  dx = dlogits·w,  dw = dlogitsᵀ·x
//
// Recipe fused: the logits stay in f32 and are formed again for the backward; dlogits is rounded once, to the operand
// type of the two products. Budget: dlogits and the output's own rounding: 2.
//
// Example (k = 1, two classes, reduction = 2): x = 1, w = [0, 0], target = 1, dy = 4: logits = [0, 0], y = ln 2,
//   dlogits = [2, -2], dx = 0, dw = [2, -2].
#include "family/cross_entropy.hpp"
#include "family/matmul.hpp"
#include "family/move.hpp"

namespace fusecheck::ops {
namespace {

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
  op.recipes = {fused};
  return op;
}

}  // namespace fusecheck::ops
