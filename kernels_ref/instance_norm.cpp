// instance_norm: group_norm with every channel of every image its own group:
//
//   mu = Σx/D over the D positions,  v = Σ(x - mu)²/D,  y = (x - mu)/√(v + eps)·gamma[c] + beta[c]
//
// Example (n = 1, c = 1, eps = 0): x = [1, 3], gamma = 2, beta = 1, dy = [1, 0]
//   mu = 2, v = 1, xhat = [-1, 1], y = [-1, 3];  dgamma = -1, dbeta = 1, dx = [0, 0].
#include "family/norm.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::ops {

OpDef instance_norm() {
  OpDef op = family::group_norm_op("instance_norm", "y = gamma*(x - mean(x))/sqrt(var(x) + eps) + beta, by channel",
                                   [](const Attrs&, const Shape& x) { return x[1]; });
  op.infer = [infer = op.infer](Shapes& shapes, const Attrs& attrs) {
    infer(shapes, attrs);
    const Shape& x = shapes.at("x");
    if (element_count(x) == x[0] * x[1]) {
      usage_error("instance_norm: x is " + to_text(x) + ": one position is its own mean, and y would be beta");
    }
  };
  return op;
}

}  // namespace fusecheck::ops
