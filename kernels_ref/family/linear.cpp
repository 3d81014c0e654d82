#include "family/linear.hpp"

#include "family/matmul.hpp"
#include "family/move.hpp"

namespace fusecheck::family {
namespace {

Value z_of(Kernel& k, Io& io) { return k.round("lin", linear(k, io["x"], io["w"], io["b"])); }

void gradients(Kernel& k, Io& io, const Value& g) {
  const Value dz = k.operand("dlin", g);
  const LinearGradients d = linear_gradients(k, io["x"], io["w"], dz);
  io.out("dx", d.dx);
  io.out("dw", d.dw);
  io.out("db", row_sum(k, k.either(dz, g)));  // a kernel may sum before it rounds
}

}  // namespace

Value linear(Kernel& k, const Value& x, const Value& w, const Value& b) {
  const std::int64_t depth = w.shape[0], n = w.shape[1];
  const std::int64_t rows = element_count({x.shape.begin(), x.shape.end() - 1});
  const Value data = k.reshape(x, {rows, depth, 1, 1});
  const Value weights = k.reshape(swapped(k, w), {n, depth, 1, 1});
  return k.reshape(k.conv2d(data, weights, b, {}), matmul_shape(x.shape, w.shape));
}

Value row_sum(Kernel& k, const Value& x) {
  std::vector<int> axes(x.shape.size() - 1);
  for (std::size_t axis = 0; axis < axes.size(); ++axis) axes[axis] = static_cast<int>(axis);
  return k.reshape(k.sum(x, axes), {x.shape.back()});
}

LinearGradients linear_gradients(Kernel& k, const Value& x, const Value& w, const Value& dz) {
  return {matmul_left_gradient(k, dz, w, x.shape), matmul_right_gradient(k, x, dz, w.shape)};
}

std::vector<Recipe> linear_recipes() {
  Recipe epilogue;
  epilogue.name = "epilogue";
  epilogue.doc = "the accumulator starts from the bias, one rounding at the end";
  epilogue.forward = [](Kernel& k, Io& io) { io.out("y", z_of(k, io)); };
  epilogue.backward = [](Kernel& k, Io& io) { gradients(k, io, io["dy"]); };
  epilogue.budget = 1;  // the rounding of each output
  return {epilogue};
}

std::vector<Recipe> linear_recipes(const Activation& f) {
  Recipe epilogue;
  epilogue.name = "epilogue";
  epilogue.doc = "bias and activation applied to the f32 accumulator, one rounding at the end";
  epilogue.forward = [f](Kernel& k, Io& io) { io.out("y", f.forward(k, io, z_of(k, io))); };
  epilogue.backward = [f](Kernel& k, Io& io) {
    gradients(k, io, k.mul(io["dy"], f.gradient(k, io, f.reads_z ? z_of(k, io) : Value{})));
  };
  epilogue.budget = 2;  // dz and dx (or dw)
  if (!f.reads_z) return {epilogue};

  // z (or x·w) is rounded by u·|z|, which moves f' by |f''·z|·u: |f''·z| < 1.1 for gelu and silu, about the size of f'.
  Recipe saved = epilogue;
  saved.name = "lin_saved";
  saved.doc = "y as epilogue; the pre-activation is stored for the backward alone";
  saved.forward = [f](Kernel& k, Io& io) {
    const Value z = z_of(k, io);
    io.save("lin", z);
    io.out("y", f.forward(k, io, z));
  };
  saved.backward = [f](Kernel& k, Io& io) { gradients(k, io, k.mul(io["dy"], f.gradient(k, io, io["lin"]))); };
  saved.budget = 4;

  Recipe stored = epilogue;
  stored.name = "matmul_stored";
  stored.doc = "the product is stored, then bias and activation as one kernel";
  stored.forward = [f](Kernel& k, Io& io) {
    const Value product = io.save("prod", matmul(k, io["x"], io["w"]));
    io.out("y", f.forward(k, io, k.round("lin", k.add(product, io["b"]))));
  };
  stored.backward = [f](Kernel& k, Io& io) {
    const Value z = k.round("lin", k.add(io["prod"], io["b"]));
    gradients(k, io, k.mul(io["dy"], f.gradient(k, io, z)));
  };
  stored.budget = 4;
  return {epilogue, saved, stored};
}

}  // namespace fusecheck::family
