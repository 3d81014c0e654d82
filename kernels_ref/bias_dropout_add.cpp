// BiasDropoutAdd:  y = residual + (x + b)·keep/(1 - p)      b [h] along the last axis, keep a given mask
//   dresidual = dy,  dx = dy·keep/(1 - p),  db = Σ dx over all axes but the last
//
// Recipe fused: everything in f32, one rounding of each output; db sums dx before or after that. Budget 1; where db
// reads the stored dx: 2.
//
// Example (h = 2, p = 1/2): x = [1, 2], b = [1, -1], keep = [1, 0], residual = [10, 20], dy = [3, 4]
//   y = [10 + 2·2, 20] = [14, 20], dresidual = [3, 4], dx = db = [6, 0].
#include "family/elementwise.hpp"

namespace fusecheck::ops {
namespace {

Value sum_of_rows(Kernel& k, const Value& x) {
  std::vector<int> leading;
  for (int axis = 0; axis + 1 < static_cast<int>(x.shape.size()); ++axis) leading.push_back(axis);
  return k.reshape(k.sum(x, leading), {x.shape.back()});
}

}  // namespace

OpDef bias_dropout_add() {
  Recipe fused;
  fused.name = "fused";
  fused.doc = "everything in f32, one rounding";
  fused.forward = [](Kernel& k, Io& io) {
    const Value xb = k.round("xb", k.add(io["x"], io["b"]));
    io.out("y", k.add(k.round("d", family::dropped(k, io, xb)), io["residual"]));
  };
  fused.backward = [](Kernel& k, Io& io) {
    io.out("dresidual", io["dy"]);
    const Value kept = k.round("dxb", family::dropped(k, io, io["dy"]));
    const Value dx = io.out("dx", kept);
    io.out("db", sum_of_rows(k, k.either(kept, dx)));
  };
  fused.budget = 2;
  OpDef op;
  op.name = "BiasDropoutAdd";
  op.formula = "y = residual + (x + b)*keep/(1 - p)";
  op.body = "xb = bias(x, b, axis=-1); d = dropout(xb, keep); y = add(d, residual)";
  op.recipes = {fused};
  op.structural = {{"dresidual", "the gradient of a sum is dy itself", false}};
  return op;
}

}  // namespace fusecheck::ops
