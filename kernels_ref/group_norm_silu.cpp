// GroupNormSilu:  z = group_norm(x),  y = z·σ(z)      dz = dy·σ(z)·(1 + z·(1 - σ(z))), and group_norm's gradients of dz
//
// Recipes:
//   fused       z kept in f32, one rounding of y; the backward forms z again from x and the f32 statistics
//   one_pass    as fused, variance as Σx²/D - mean²: lossy
// Budget, the roundings on the longest path: mean, rstd, and the output's own: 3.
//
// Example (the one of group_norm.cpp with gamma = 0, beta = 0): z = 0, y = 0, dz = dy/2, so dbeta = [1/2, 0, 0, 1].
#include "family/norm.hpp"

namespace fusecheck::ops {
namespace {

std::int64_t groups_of(const Io& io) { return io.attrs().integer("num_groups"); }

Recipe recipe(const char* name, const char* doc, family::Normalising normalise) {
  Recipe r;
  r.name = name;
  r.doc = doc;
  r.forward = [normalise](Kernel& k, Io& io) {
    const Value z = k.round("z", family::group_norm(k, io, groups_of(io), normalise));
    io.out("y", k.function(Function::silu, z));
  };
  r.backward = [](Kernel& k, Io& io) {
    const Value z = k.round("z", family::group_norm_again(k, io, groups_of(io)));
    const Value dz = k.round("dz", k.mul(io["dy"], k.function(Function::silu_derivative, z)));
    family::group_norm_gradients(k, io, dz, groups_of(io));
  };
  r.budget = 3;
  return r;
}

}  // namespace

OpDef group_norm_silu() {
  OpDef op;
  op.name = "GroupNormSilu";
  op.aliases = {"GroupNormSwish"};
  op.formula = "y = silu(group_norm(x))";
  op.body = "z = group_norm(x, gamma, beta); y = silu(z)";
  op.recipes = {recipe("fused", "z kept in f32, formed again for the backward", family::normalised),
                recipe("one_pass", "as fused, variance as E[x^2] - mean^2", family::normalised_one_pass)};
  op.recipes.back().lossy = true;
  return op;
}

}  // namespace fusecheck::ops
