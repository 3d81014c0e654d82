// MatMulBiasRelu:  z = x·w + b      y = relu(z)      dz = dy·[z > 0]; from dz on the gradients are those of
// family/linear.hpp
//
// Example: the one of family/linear.hpp has z = [[4, 3]] = y. With b = [-5, 2], z = [[-1, 3]], y = [[0, 3]], and dy =
// [[1, -1]] gives dz = [[0, -1]]: dx = [[1, -1]], dw = [[0, -1], [0, -2]], db = [0, -1].
#include "family/linear.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {

OpDef matmul_bias_relu() {
  family::Activation relu;
  relu.forward = [](Kernel& k, Io& io, const Value& z) {
    io.save("mask", k.positive(z));
    return k.relu(z);
  };
  relu.gradient = [](Kernel&, Io& io, const Value&) { return io["mask"]; };
  relu.reads_z = false;
  OpDef op;
  op.name = "MatMulBiasRelu";
  op.aliases = {"FusedMatMulBiasRelu"};
  op.formula = "y = relu(x*w + b)";
  op.body = "prod = matmul(x, w, transpose_a=0, transpose_b=0); lin = bias(prod, b, axis=-1); y = relu(lin)";
  op.recipes = family::linear_recipes(relu);
  return op;
}

}  // namespace fusecheck::ops
