// AddRmsNorm:  s = x1 + x2,  y = rms_norm(s)      dx1 = dx2 = ds, and rms_norm's gradients of s
//
// Recipes, the schedules of CANN's AddRmsNorm by chip and type; each stores s, and its backward reads it with rstd:
//   ascend_950       add, norm and gamma in f32 from the unrounded sum, one rounding
//   ascend_a2_f16    s rounded first and read from then on; t = s·rstd rounded; y = t·gamma
//   ascend_a2_bf16   the norm reads the unrounded s; t = s·rstd rounded; y = t·gamma
// All take Σ s²·(1/D), 1/D rounded to f32 and applied before the sum.
// Budget, the roundings on the longest path: s, rstd, t, and the output's own: 4.
//
// Example (one row, eps = 0): x1 = [3, 1, 0, 2], x2 = [-2, -2, 1, -1]: s = [1, -1, 1, 1], and the numbers of
// rms_norm.cpp.
#include "family/norm.hpp"

namespace fusecheck::ops {
namespace {

Recipe recipe(const char* name, const char* doc, bool from_stored, bool rounds_t) {
  Recipe r;
  r.name = name;
  r.doc = doc;
  r.forward = [from_stored](Kernel& k, Io& io) {
    const Value sum = k.add(io["x1"], io["x2"]);
    const Value stored = io.save("s", sum);
    const Value& s = from_stored ? stored : sum;
    const family::Rows rows = family::rows_of(s.shape, static_cast<int>(io.attrs().integer("axis")));
    const Value mean_square = k.sum(k.mul(k.mul(s, s), family::share_of(k, s, rows.axes)), rows.axes);
    const Value rstd = family::rstd_of(k, mean_square, io.attrs().number("eps"));
    io.save("saved_rstd", rstd);
    io.out("y", k.mul(k.round("t", k.mul(s, rstd)), io["gamma"]));
  };
  r.backward = [](Kernel& k, Io& io) {
    const Value ds = family::rms_norm_gradients(k, io, io["s"], io["dy"]);
    io.out("dx1", ds);
    io.out("dx2", ds);
  };
  if (rounds_t) r.points = {{"t", "storage"}};
  r.budget = 4;
  return r;
}

}  // namespace

OpDef add_rms_norm() {
  OpDef op;
  op.name = "AddRmsNorm";
  op.formula = "y = rms_norm(x1 + x2)";
  op.body = "s = add(x1, x2); y = rms_norm(s, gamma)";
  op.inputs = {{.name = "x1", .doc = "any shape", .draw = family::draw_summand},
               {.name = "x2", .doc = "a shape that broadcasts with that of x1", .draw = family::draw_other_summand}};
  op.recipes = {recipe("ascend_950", "add, norm and gamma in f32, one rounding", false, false),
                recipe("ascend_a2_f16", "the sum rounded, then read; s*rstd rounded before gamma", true, true),
                recipe("ascend_a2_bf16", "the norm reads the unrounded sum; s*rstd rounded before gamma", false, true)};
  return op;
}

}  // namespace fusecheck::ops
