// masked_softmax:  y = e^(x - m)/Σ e^(x - m) over the elements of a row that are not masked, m their maximum; 0 where
// masked      dx = y·(dy - Σ dy·y)
//
// A row that is masked altogether gives y = 0 and dx = 0, as FlashAttention and PyTorch since 2.5 do. What is masked
// does not matter: a NaN there stays behind. masked broadcasts to x; rows run along the last axis.
//
// Example: x = [0, 0, 9], masked = [0, 0, 1], dy = [1, 0, 5]  ->  y = [1/2, 1/2, 0], dx = [1/4, -1/4, 0].
#include "family/masked_softmax.hpp"

#include "family/draw.hpp"
#include "family/reduce.hpp"

namespace fusecheck::ops {
namespace {

// One element in four; stress: also every fifth row altogether, the fourth first.
double draw_masked(const DrawContext& draw, std::int64_t element) {
  const bool whole_row = draw.set == DataSet::stress && element / draw.shape.back() % 5 == 3;
  return whole_row || draw.rng.integer(static_cast<std::uint64_t>(element), 0, 3) == 0 ? 1 : 0;
}

}  // namespace

OpDef masked_softmax() {
  OpDef op;
  op.name = "masked_softmax";
  op.formula = "y = softmax(x) over what is not masked";
  op.inputs = {{.name = "x", .doc = "rows along the last axis", .draw = family::draw_logits},
               {.name = "masked",
                .role = Role::mask,
                .doc = "1 hides an element; broadcasts to x",
                .draw = draw_masked,
                .gradient = false}};
  op.outputs = {{.name = "y", .doc = "the shape of x"}};
  op.infer = family::infer_masked_softmax;
  op.forward = [](Kernel& k, Io& io) { io.out("y", family::masked_softmax(k, io, io["x"])); };
  op.backward = [](Kernel& k, Io& io) {
    io.out("dx", family::softmax_gradient(k, io["y"], io["dy"], family::last_axes(io["y"].shape, 1)));
  };
  return op;
}

}  // namespace fusecheck::ops
