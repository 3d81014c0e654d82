// AddLayerNorm:  s = x1 + x2,  y = layer_norm(s)      dx1 = dx2 = ds, and layer_norm's gradients of s
//
// Recipes; each stores s for the backward, which reads it with the f32 mean and rstd:
//   fused        statistics and xhat from the f32 sum, mean as Σ/D
//   ascend       the same with mean = Σ s·(1/D) and v = Σ (s - mean)²·(1/D), 1/D rounded to f32 (CANN's AddLayerNorm)
//   sum_stored   statistics and xhat read the stored s
//   one_pass     as sum_stored, v = Σs²/D - mean²: lossy
// Budget, the roundings on the longest path: s, mean, rstd, and the output's own: 4.
//
// Example (one row, eps = 0): x1 = [-1, 1, 2, 3], x2 = [1, -1, 2, 1]: s = [0, 0, 4, 4], and the numbers of
// layer_norm.cpp.
#include "family/norm.hpp"

namespace fusecheck::ops {
namespace {

Recipe recipe(const char* name, const char* doc, family::Normalising normalise, bool from_stored) {
  Recipe r;
  r.name = name;
  r.doc = doc;
  r.forward = [normalise, from_stored](Kernel& k, Io& io) {
    const Value sum = k.add(io["x1"], io["x2"]);
    const Value stored = io.save("s", sum);
    const family::Rows rows = family::rows_of(sum.shape, static_cast<int>(io.attrs().integer("axis")));
    const family::Normalised n = normalise(k, from_stored ? stored : sum, rows.axes, io.attrs().number("eps"));
    io.save("saved_mean", n.mean);
    io.save("saved_rstd", n.rstd);
    io.out("y", k.add(k.mul(n.xhat, io["gamma"]), io["beta"]));
  };
  r.backward = [](Kernel& k, Io& io) {
    const family::Rows rows = family::rows_of(io["s"].shape, static_cast<int>(io.attrs().integer("axis")));
    const Value ds = family::layer_norm_gradients(k, io, io["s"], io["dy"], rows);
    io.out("dx1", ds);
    io.out("dx2", ds);
  };
  r.budget = 4;
  return r;
}

}  // namespace

OpDef add_layer_norm() {
  OpDef op;
  op.name = "AddLayerNorm";
  op.formula = "y = layer_norm(x1 + x2)";
  op.body = "s = add(x1, x2); y = layer_norm(s, gamma, beta)";
  op.inputs = {{.name = "x1", .doc = "any shape", .draw = family::draw_summand},
               {.name = "x2", .doc = "a shape that broadcasts with that of x1", .draw = family::draw_other_summand}};
  op.recipes = {
      recipe("fused", "statistics from the f32 sum", family::normalised, false),
      recipe("ascend", "as fused, mean and variance as sums of terms times 1/D", family::normalised_by_shares, false),
      recipe("sum_stored", "statistics from the stored sum", family::normalised, true),
      recipe("one_pass", "as sum_stored, variance as E[s^2] - mean^2", family::normalised_one_pass, true)};
  op.recipes.back().lossy = true;
  return op;
}

}  // namespace fusecheck::ops
