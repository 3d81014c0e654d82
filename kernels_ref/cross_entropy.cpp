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
namespace {

// stress: of eight rows one is left out, none of those whose logits other ops make large (family::is_overflowing_row).
double draw_target(const DrawContext& draw, std::int64_t element) {
  constexpr double left_out = -100;  // PyTorch's ignore_index
  const std::int64_t from_last = element_count(draw.shape) - 1 - element;
  return draw.set == DataSet::stress && from_last % 8 == 3 ? left_out : family::draw_index(draw, element);
}

}  // namespace

OpDef cross_entropy() {
  OpDef op;
  op.name = "cross_entropy";
  op.formula = "y = ln(sum(exp(x))) - x[target]";
  op.inputs = {{.name = "x", .doc = ".., c", .draw = family::draw_logits},
               {.name = "target",
                .role = Role::index,
                .doc = "..: class of each row, negative leaves it out",
                .draw = draw_target,
                .gradient = false}};
  op.outputs = {{.name = "y", .role = Role::parameter, .doc = "the shape of target, or one number"}};
  op.attrs = {{.name = "reduction", .fallback = {1}, .doc = "0 none, 1 mean, 2 sum", .high = 2}};
  op.infer = family::infer_cross_entropy;
  op.forward = [](Kernel& k, Io& io) { io.out("y", family::cross_entropy(k, io, io["x"])); };
  op.backward = [](Kernel& k, Io& io) { io.out("dx", family::cross_entropy_gradient(k, io, io["x"])); };
  return op;
}

}  // namespace fusecheck::ops
