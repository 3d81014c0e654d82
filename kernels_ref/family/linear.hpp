// The hand-derived kernels of x·w + b and what follows it. x [.., k], w [k, n], b [n].
//
//   z = x·w + b      y = f(z)      g = dz = dy·f'(z)
//   dx = g·wᵀ        dw = xᵀ·g     db = Σ g over the rows
//
// Recipes:
//   epilogue       the accumulator starts from b, f is applied to it, one rounding at the end; where f' needs z, the
//                  backward computes it again
//   lin_saved      y as epilogue; z goes to HBM in storage type for the backward alone
//   matmul_stored  x·w goes to HBM in storage type; bias and f are one kernel, and so is the backward that reads it
// Without f, or with a relu, matmul_stored is `unfused`: rounding z changes neither y nor the sign of z.
//
// Worked example: x = [[1, 2]], w = [[3, -1], [0, 1]], b = [1, 2]: z = [[4, 3]]; g = [[1, -1]]: dx = [[4, -1]],
// dw = [[1, -1], [2, -2]], db = [1, -1].
#pragma once

#include <functional>
#include <vector>

#include "fusecheck/op.hpp"

namespace fusecheck::family {

// x·w + b, the accumulator starting from b: Σ over k ascending, b first.
Value linear(Kernel& k, const Value& x, const Value& w, const Value& b);
// Σ over every axis but the last, as [n].
Value row_sum(Kernel& k, const Value& x);

struct LinearGradients {
  Value dx, dw;
};
LinearGradients linear_gradients(Kernel& k, const Value& x, const Value& w, const Value& dz);

struct Activation {
  std::function<Value(Kernel&, Io&, const Value& z)> forward;   // y before it is stored
  std::function<Value(Kernel&, Io&, const Value& z)> gradient;  // f'(z)
  bool reads_z = true;                                          // false: `gradient` reads what `forward` saved
};

// z itself.
std::vector<Recipe> linear_recipes();
std::vector<Recipe> linear_recipes(const Activation& activation);

}  // namespace fusecheck::family
