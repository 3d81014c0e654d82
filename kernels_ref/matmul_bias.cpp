// MatMulBias:  y = x·w + b      dx = dy·wᵀ      dw = xᵀ·dy      db = Σ dy
//
// Example: family/linear.hpp.
#include "family/linear.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {

OpDef matmul_bias() {
  OpDef op;
  op.name = "MatMulBias";
  op.aliases = {"FusedMatMulBias"};
  op.formula = "y = x*w + b";
  op.body = "prod = matmul(x, w, transpose_a=0, transpose_b=0); y = bias(prod, b, axis=-1)";
  op.recipes = family::linear_recipes();
  return op;
}

}  // namespace fusecheck::ops
