// The hand-derived kernels of the Conv (+BN) fusions. An op adds only its tail: what happens after z.
//
//   z = conv(x, w) + b                                     without BN
//   z = s·conv(x, w) + t                                   with BN: s = gamma·rstd, t = beta + s·(b - mu)
//
// Recipes, inference (NUMERICS.md J2):
//   epilogue     BN applied to the f32 accumulator, one rounding at the end
//   fold         W' = W·s rounded to storage once, b' = t kept in f32: y = tail(conv(x, W') + b')
//   conv_stored  the convolution goes to HBM in storage type, BN and tail are one kernel
//   dconv_stored y as epilogue; dconv = s·g goes to HBM in storage type, and dx, dw, db read it
//   conv_saved   y as epilogue; the convolution too goes to HBM for the backward, which is that of conv_stored
//   ..._recompute, where the tail reads z: the backward of epilogue and fold forms it again from x and w, that of
//                conv_stored and conv_saved from the stored convolution, in f32, in place of reading a stored z
// Recipes, training (epilogue_recompute, conv_stored_recompute likewise):
//   epilogue     statistics from the accumulator in two passes, BN applied to the accumulator; the backward reads the
//                stored convolution
//   conv_stored  statistics and BN from the stored convolution, two passes
//   one_pass     as conv_stored, variance as E[x²] - mu²: lossy
//
// Backward, with g = dz and h = wgrad(x, g):
//   inference    dx = dgrad(s·g, w) or dgrad(g, W');  dw = s·h;  dbeta = Σg;  db = s·Σg
//                dgamma = (<w, h> + (b - mu)·Σg)·rstd: no convolution is computed again, since
//                Σ_p g·conv = Σ_p g·(Σ w·x) = <w, h>. Where the convolution is in memory: Σ g·(conv - mu)·rstd.
//                Where dconv = s·g is in memory: dx = dgrad(dconv, w), dw = wgrad(x, dconv), db = Σ dconv or s·Σg.
//   training     dconv = s·(g - dbeta/n - xhat·dgamma/n);  dx = dgrad(dconv, w), dw = wgrad(x, dconv), db = Σ dconv = 0
//
// Worked example (inference, 1x1 convolution, one channel, no bias): x = 3, w = 2, gamma = 4, beta = 1, mean = 2, var +
// eps = 4: rstd = 1/2, s = 2, t = 1 - 4 = -3, conv = 6, z = 9; g = 1: h = 3, dx = 4, dw = 6, dbeta = 1, dgamma = (6 -
// 2)/2 = 2.
#pragma once

#include <functional>
#include <vector>

#include "fusecheck/op.hpp"

namespace fusecheck::family {

struct Tail {
  std::function<Value(Kernel&, Io&, const Value& z)> forward;    // y before it is stored
  std::function<Value(Kernel&, Io&, const Value& dy)> backward;  // dz; puts out dresidual where there is one
  double roundings = 0;  // storage roundings of what `forward` saves and `backward` reads, for the budgets
  // The same activation and its slope as functions of z, where `forward` saves z: for a backward that forms z again
  // from the convolution in memory. Empty where z is not read.
  std::function<Value(Kernel&, const Value&z)> activation = {}, slope = {};
};

// z + residual, which broadcasts to z; usage error where z would have to.
Value with_residual(Kernel& k, Io& io, const Value& z);
// Puts out dresidual and returns the gradient of z: dresidual as stored, where the residual has the shape of z.
Value residual_gradient(Kernel& k, Io& io, const Value& dz);

std::vector<Recipe> conv_recipes(Tail tail);
std::vector<Recipe> conv_bn_recipes(Tail tail);

// db in front of a BN in training mode.
std::vector<Structural> conv_bn_structural();

}  // namespace fusecheck::family
