// reduce_mean:  y = Σ x/n over the axes, n elements each      dx = dy/n, repeated along them
//
// Example (axes = -1): x = [[1, 3], [4, 8]], dy = [[2], [4]]  ->  y = [[2], [6]], dx = [[1, 1], [2, 2]].
#include "family/draw.hpp"
#include "family/reduce.hpp"

namespace fusecheck::ops {

OpDef reduce_mean() {
  return family::reduction_op(
      "reduce_mean", "y = sum(x)/n", family::draw_activation,
      [](Kernel& k, Io& io, const std::vector<int>& axes) { return family::mean_in_any_order(k, io["x"], axes); },
      [](Kernel& k, Io& io, const Value& dy, const std::vector<int>& axes) {
        return family::divided(k, dy, family::count_along(io["x"].shape, axes));
      });
}

}  // namespace fusecheck::ops
