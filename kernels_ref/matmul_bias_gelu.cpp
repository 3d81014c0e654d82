// MatMulBiasGelu:  z = x·w + b      y = gelu(z)      dz = dy·gelu'(z); from dz on the gradients are those of
// family/linear.hpp
//
// approximate = 0 is z·Φ(z), 1 the form with tanh: another function, not a rounding of the first.
//
// Example: z = 0 gives y = 0 and gelu'(0) = Φ(0) = 1/2: x = [[1, 2]], w = [[2], [-1]], b = [0], dy = [[4]]: dz = 2,
// dx = [[4, -2]], dw = [[2], [4]], db = [2].
#include "family/linear.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

bool tanh_form(const Io& io) { return io.attrs().integer("approximate") == 1; }

}  // namespace

OpDef matmul_bias_gelu() {
  family::Activation gelu;
  gelu.forward = [](Kernel& k, Io& io, const Value& z) {
    return k.function(tanh_form(io) ? Function::gelu_tanh : Function::gelu, z);
  };
  gelu.gradient = [](Kernel& k, Io& io, const Value& z) {
    return k.function(tanh_form(io) ? Function::gelu_tanh_derivative : Function::gelu_derivative, z);
  };
  OpDef op;
  op.name = "MatMulBiasGelu";
  op.aliases = {"FusedMatMulBiasGelu"};
  op.formula = "y = gelu(x*w + b)";
  op.body = "prod = matmul(x, w, transpose_a=0, transpose_b=0); lin = bias(prod, b, axis=-1); y = gelu(lin)";
  op.recipes = family::linear_recipes(gelu);
  return op;
}

}  // namespace fusecheck::ops
