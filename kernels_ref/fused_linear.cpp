// FusedLinear:  y = (x·w1 + b1)·w2 + b2 = x·(w1·w2) + (b1·w2 + b2)
//
//   x [.., k], w1 [k, h], b1 [h], w2 [h, n], b2 [n]
//   merged    W = w1·w2, rounded to storage once; c = b1·w2 + b2, kept in f32:  y = x·W + c
//             G = xᵀ·dy:  dw1 = G·w2ᵀ,  dw2 = w1ᵀ·G + b1 ⊗ db2,  db2 = Σ dy,  db1 = w2·db2,  dx = dy·Wᵀ
//             since dh = dy·w2ᵀ, dw1 = xᵀ·dh = (xᵀ·dy)·w2ᵀ and dw2 = (x·w1 + b1)ᵀ·dy
//   chained   h = x·w1 + b1, rounded to the operand type on chip:  y = h·w2 + b2;  dh = dy·w2ᵀ, rounded likewise
//
// Example: x = [[1, 2]], w1 = [[1, 0], [1, 1]], b1 = [1, -1], w2 = [[2], [3]], b2 = [5], dy = [[1]]
//   h = [[4, 1]], y = [[16]]; merged: W = [[2], [5]], c = [4], y = [[2 + 10 + 4]]
//   dx = [[2, 5]], dw1 = [[2, 3], [4, 6]], db1 = [2, 3], dw2 = [[4], [1]], db2 = [1].
#include "family/linear.hpp"
#include "family/matmul.hpp"
#include "family/move.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

// v [h]·w [h, n] in the vector unit: both biases stay in f32.
Value row_times(Kernel& k, const Value& v, const Value& w) {
  return k.reshape(k.sum(k.mul(k.reshape(v, {v.shape[0], 1}), w), {0}), {w.shape[1]});
}

Value merged_weights(Kernel& k, Io& io) { return k.operand("w_merged", family::matmul(k, io["w1"], io["w2"])); }

void forward_merged(Kernel& k, Io& io) {
  const Value c = k.round("b_merged", k.add(row_times(k, io["b1"], io["w2"]), io["b2"]));
  io.out("y", family::linear(k, io["x"], merged_weights(k, io), c));
}

void backward_merged(Kernel& k, Io& io) {
  const Value& dy = io["dy"];
  const Value &w1 = io["w1"], &w2 = io["w2"];
  const Value w = merged_weights(k, io);
  io.out("dx", family::matmul_left_gradient(k, dy, w, io["x"].shape));
  const Value db2 = family::row_sum(k, dy);
  io.out("db2", db2);
  io.out("db1", row_times(k, db2, family::swapped(k, w2)));
  const Value g = k.operand("dw_merged", family::matmul_right_gradient(k, io["x"], dy, w.shape));
  io.out("dw1", family::matmul_left_gradient(k, g, w2, w1.shape));
  const Value outer = k.mul(k.reshape(io["b1"], {w2.shape[0], 1}), db2);
  io.out("dw2", k.add(family::matmul_right_gradient(k, w1, g, w2.shape), outer));
}

Value hidden(Kernel& k, Io& io) { return k.operand("lin", family::linear(k, io["x"], io["w1"], io["b1"])); }

void forward_chained(Kernel& k, Io& io) { io.out("y", family::linear(k, hidden(k, io), io["w2"], io["b2"])); }

void backward_chained(Kernel& k, Io& io) {
  const Value& dy = io["dy"];
  const Value h = hidden(k, io);
  io.out("db2", family::row_sum(k, dy));
  const family::LinearGradients second = family::linear_gradients(k, h, io["w2"], dy);
  io.out("dw2", second.dw);
  const Value dh = k.operand("dlin", second.dx);
  const family::LinearGradients first = family::linear_gradients(k, io["x"], io["w1"], dh);
  io.out("dx", first.dx);
  io.out("dw1", first.dw);
  io.out("db1", family::row_sum(k, k.either(dh, second.dx)));
}

}  // namespace

OpDef fused_linear() {
  OpDef op;
  op.name = "FusedLinear";
  op.formula = "y = (x*w1 + b1)*w2 + b2";
  op.body =
      "prod = matmul(x, w1, n=hidden, transpose_a=0, transpose_b=0); lin = bias(prod, b1, axis=-1);"
      "out = matmul(lin, w2, transpose_a=0, transpose_b=0); y = bias(out, b2, axis=-1)";
  // Storage roundings on the longest path to an output, its own included: W and y (or dx), G and dw; h and y, dh and
  // dx.
  op.recipes = {{.name = "merged",
                 .doc = "w1*w2 merged and rounded to storage once, the merged bias kept in f32",
                 .forward = forward_merged,
                 .backward = backward_merged,
                 .budget = 2},
                {.name = "chained",
                 .doc = "both products in one kernel, x*w1 + b1 rounded to the operand type between them",
                 .forward = forward_chained,
                 .backward = backward_chained,
                 .budget = 2}};
  return op;
}

}  // namespace fusecheck::ops
