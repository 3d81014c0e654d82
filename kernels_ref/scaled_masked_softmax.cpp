// ScaledMaskedSoftmax:  y = softmax(scale·x) over what is not masked      dx = scale·y·(dy - Σ dy·y)
//
// Rule for a row that is masked altogether: y = 0, dx = 0 (masked_softmax.cpp).
//
// Recipes (rounding points):
//   fused             scale·x kept in f32, one rounding of y; the backward reads y as stored, ds kept in f32
//   minus_10000       the mask as -10000 added to the logits (Megatron, CANN): as fused, but a row that is masked
//                     altogether spreads as if it were not; lossy
// Budget: y is rounded once; dx reads it and is rounded: 2.
//
// Example (scale = 1/2): x = [4, 4, 9], masked = [0, 0, 1], dy = [1, 0, 5]  ->  y = [1/2, 1/2, 0], dx = [1/8, -1/8, 0].
#include <algorithm>
#include <cmath>

#include "family/draw.hpp"
#include "family/masked_softmax.hpp"
#include "family/reduce.hpp"

namespace fusecheck::ops {
namespace {

// scale·x is what a softmax takes in stress, as far as f16 holds x.
double draw_x(const DrawContext& draw, std::int64_t element) {
  if (draw.set != DataSet::stress) return family::draw_activation(draw, element);
  const double scale = std::fabs(draw.attrs.number("scale"));
  return family::draw_logits(draw, element) / std::clamp(scale, 0x1p-8, 0x1p8);
}

using Softmax = Value (*)(Kernel&, Io&, const Value& z);

Recipe recipe(const char* name, const char* doc, Softmax softmax) {
  const auto scale = [](Kernel& k, const Io& io) { return k.constant(io.attrs().number("scale")); };
  Recipe r;
  r.name = name;
  r.doc = doc;
  r.forward = [scale, softmax](Kernel& k, Io& io) {
    io.out("y", softmax(k, io, k.round("s", k.mul(io["x"], scale(k, io)))));
  };
  r.backward = [scale](Kernel& k, Io& io) {
    const Value& y = io["y"];
    const Value ds = k.round("ds", family::softmax_gradient(k, y, io["dy"], family::last_axes(y.shape, 1)));
    io.out("dx", k.mul(ds, scale(k, io)));
  };
  r.budget = 2;
  return r;
}

}  // namespace

OpDef scaled_masked_softmax() {
  OpDef op;
  op.name = "ScaledMaskedSoftmax";
  op.aliases = {"FusedAttentionMask"};
  op.formula = "y = softmax(scale*x) over what is not masked";
  op.body = "s = scale(x); y = masked_softmax(s, masked)";
  op.inputs = {{.name = "x", .doc = "any shape", .draw = draw_x}};
  op.recipes = {recipe("fused", "scaled, masked and normalised in f32, one rounding", family::masked_softmax),
                recipe("minus_10000", "the mask as -10000 added to the logits", family::softmax_minus_10000)};
  op.recipes.back().lossy = true;
  op.recipes.back().budget = 0;  // a row that is masked altogether has nothing to do with the body's
  return op;
}

}  // namespace fusecheck::ops
