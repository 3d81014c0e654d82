// hard_sigmoid:  y = min(max(x + 3, 0), 6)/6      dx = dy/6·[-3 < x < 3]
//
// As legal: x·(1/6) + 1/2 between 0 and 1, with 1/6 rounded.
//
// Example: x = [-4, -3, 0, 3, 5], dy = 12 each  ->  y = [0, 0, 1/2, 1, 1], dx = [0, 0, 2, 0, 0].
#include "family/activation.hpp"

namespace fusecheck::ops {

OpDef hard_sigmoid() {
  return family::op_between("hard_sigmoid", "y = min(max(x + 3, 0), 6)/6", -3, 3, family::hard_gate,
                            [](Kernel& k, Io& io, const family::Between& inside) {
                              return k.mul(family::sixth(k, io["dy"]), k.mul(inside.above, inside.below));
                            });
}

}  // namespace fusecheck::ops
