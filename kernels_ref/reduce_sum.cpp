// reduce_sum:  y = Σ x over the axes      dx = dy, repeated along them
//
// Example (axes = -1): x = [[1, 2], [3, 4]], dy = [[5], [6]]  ->  y = [[3], [7]], dx = [[5, 5], [6, 6]].
#include "family/draw.hpp"
#include "family/reduce.hpp"

namespace fusecheck::ops {

OpDef reduce_sum() {
  return family::reduction_op(
      "reduce_sum", "y = sum(x)", family::draw_activation,
      [](Kernel& k, Io& io, const std::vector<int>& axes) { return k.sum(io["x"], axes); },
      [](Kernel&, Io&, const Value& dy, const std::vector<int>&) { return dy; });
}

}  // namespace fusecheck::ops
