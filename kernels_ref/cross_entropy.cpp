// cross_entropy:  loss = ln Σ_j e^(x_j - max x) - (x_t - max x) for each row, t its target
//   dx = (softmax(x) - [j = t])·g, g = dy (reduction 0), dy (2: sum) or dy/n (1: mean over the n rows that count)
//
// x [.., c], target [..] in [0, c); a negative target leaves its row out: loss 0, dx 0. The loss is f32 in 16-bit
// cases.
//
// Example (reduction = 2): x = [[0, 0]], target = [1], dy = 4  ->  y = ln 2, dx = [[2, -2]].
#include "family/cross_entropy.hpp"

#include "family/draw.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {

OpDef cross_entropy() {
  OpDef op;
  op.name = "cross_entropy";
  op.formula = "y = ln(sum(exp(x))) - x[target]";
  op.inputs = {{.name = "x", .doc = ".., c", .draw = family::draw_logits},
               {.name = "target",
                .role = Role::index,
                .doc = "..: class of each row, negative leaves it out",
                .draw = family::draw_index,
                .gradient = false}};
  op.outputs = {{.name = "y", .role = Role::parameter, .doc = "the shape of target, or one number"}};
  op.attrs = {{.name = "reduction", .fallback = {1}, .doc = "0 none, 1 mean, 2 sum", .high = 2}};
  op.infer = family::infer_cross_entropy;
  op.forward = [](Kernel& k, Io& io) { io.out("y", family::cross_entropy(k, io, io["x"])); };
  op.backward = [](Kernel& k, Io& io) { io.out("dx", family::cross_entropy_gradient(k, io, io["x"])); };
  return op;
}

}  // namespace fusecheck::ops
