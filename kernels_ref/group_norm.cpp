// group_norm: the channels of x [n, c, ...] in num_groups groups, each normalised over its channels and all positions
// (D elements):
//
//   mu = Σx/D,  v = Σ(x - mu)²/D,  rstd = 1/√(v + eps),  xhat = (x - mu)·rstd,  y = xhat·gamma[c] + beta[c]
//   dgamma[c] = Σ dy·xhat,  dbeta[c] = Σ dy,  g = dy·gamma[c],  dx = rstd·(g - mean(g) - xhat·mean(g·xhat))
//
// Example (n = 1, c = 4, num_groups = 2, eps = 0): x = [1, 3, 10, 6], gamma = [1, 2, 1, 1], beta = [0, 0, 0, 5],
//   dy = [1, 0, 0, 2]:  mu = [2, 8], v = [1, 4], xhat = [-1, 1, 1, -1], y = [-1, 2, 1, 4]
//   dgamma = [-1, 0, 0, -2], dbeta = [1, 0, 0, 2];  two elements a group leave no other direction: dx = 0.
#include "family/norm.hpp"

namespace fusecheck::ops {

OpDef group_norm() {
  OpDef op =
      family::group_norm_op("group_norm", "y = gamma*(x - mean(x))/sqrt(var(x) + eps) + beta, by groups of channels",
                            [](const Attrs& attrs, const Shape&) { return attrs.integer("num_groups"); });
  op.attrs.push_back(
      {.name = "num_groups", .fallback = {1}, .doc = "groups that the channels form", .low = 1, .high = 1 << 20});
  return op;
}

}  // namespace fusecheck::ops
