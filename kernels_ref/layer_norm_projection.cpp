// LayerNormProjection:  n = layer_norm(x),  y = n·w, w [d, oc]
//   dn = dy·wᵀ,  dw = nᵀ·dy,  and layer_norm's gradients of dn
//
// Recipes:
//   fused   n rounded once, to the operand type, on its way into the product; the backward forms it again from x and
//   the
//           f32 statistics, and keeps dn in f32
//   fold    gamma in the weights, w' = gamma·w rounded once to the operand type, xhat rounded to it too:
//           y = xhat·w' + beta·w in f32; the backward is that of fused
// Budget, the roundings on the longest path: mean, rstd, two operands, and the output's own: 5.
//
// Example (the one of layer_norm.cpp with w = [1, 1, 1, 1] as one column, dy = 4): n = [0, -2, 1, 4], y = 3,
//   dn = 4 everywhere, dw = [0, -8, 4, 16].
#include "family/matmul.hpp"
#include "family/move.hpp"
#include "family/norm.hpp"

namespace fusecheck::ops {
namespace {

family::Rows rows_of_x(const Io& io) { return family::rows_of(io["x"].shape, -1); }

family::Normalised statistics(Kernel& k, Io& io) {
  const family::Normalised n = family::normalised(k, io["x"], rows_of_x(io).axes, io.attrs().number("eps"));
  io.save("saved_mean", n.mean);
  io.save("saved_rstd", n.rstd);
  return n;
}

Value affine(Kernel& k, Io& io, const Value& xhat) { return k.add(k.mul(xhat, io["gamma"]), io["beta"]); }

void forward_fused(Kernel& k, Io& io) {
  const Value n = k.operand("n", affine(k, io, statistics(k, io).xhat));
  io.out("y", family::matmul(k, n, io["w"]));
}

void forward_fold(Kernel& k, Io& io) {
  const Value& w = io["w"];
  const std::int64_t d = w.shape[0];
  const Value xhat = k.operand("xhat", statistics(k, io).xhat);
  const Value folded = k.operand("w_folded", k.mul(w, k.reshape(io["gamma"], {d, 1})));
  const Value shift = k.sum(k.mul(w, k.reshape(io["beta"], {d, 1})), {0});
  io.out("y", k.add(family::matmul(k, xhat, folded), k.reshape(shift, {w.shape[1]})));
}

void backward(Kernel& k, Io& io) {
  const Value& x = io["x"];
  const Value xhat = k.mul(k.sub(x, io["saved_mean"]), io["saved_rstd"]);
  const Value dn = k.round("dn", family::matmul_left_gradient(k, io["dy"], io["w"], x.shape));
  io.out("dw", family::matmul_right_gradient(k, k.operand("n", affine(k, io, xhat)), io["dy"], io["w"].shape));
  io.out("dx", family::layer_norm_gradients(k, io, x, dn, rows_of_x(io)));
}

Recipe recipe(const char* name, const char* doc, KernelFunction forward) {
  Recipe r;
  r.name = name;
  r.doc = doc;
  r.forward = std::move(forward);
  r.backward = backward;
  r.budget = 5;
  return r;
}

}  // namespace

OpDef layer_norm_projection() {
  OpDef op;
  op.name = "LayerNormProjection";
  op.formula = "y = layer_norm(x)*w";
  op.body = "n = layer_norm(x, gamma, beta, axis=-1); y = matmul(n, w, n=oc, transpose_a=0, transpose_b=0)";
  op.recipes = {recipe("fused", "the normalised rows rounded once, to the operand type", forward_fused),
                recipe("fold", "gamma folded into the weights, beta*w added in f32", forward_fold)};
  return op;
}

}  // namespace fusecheck::ops
