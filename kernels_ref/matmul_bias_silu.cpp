// MatMulBiasSilu:  z = x·w + b      y = silu(z) = z·σ(z)      dz = dy·silu'(z); from dz on the gradients are those of
// family/linear.hpp
//
// Example: z = 0 gives y = 0 and silu'(0) = 1/2: x = [[1, 2]], w = [[2], [-1]], b = [0], dy = [[4]]: dz = 2,
// dx = [[4, -2]], dw = [[2], [4]], db = [2].
#include "family/linear.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {

OpDef matmul_bias_silu() {
  family::Activation silu;
  silu.forward = [](Kernel& k, Io&, const Value& z) { return k.function(Function::silu, z); };
  silu.gradient = [](Kernel& k, Io&, const Value& z) { return k.function(Function::silu_derivative, z); };
  OpDef op;
  op.name = "MatMulBiasSilu";
  op.aliases = {"FusedMatMulBiasSilu"};
  op.formula = "y = silu(x*w + b)";
  op.body = "prod = matmul(x, w, transpose_a=0, transpose_b=0); lin = bias(prod, b, axis=-1); y = silu(lin)";
  op.recipes = family::linear_recipes(silu);
  return op;
}

}  // namespace fusecheck::ops
