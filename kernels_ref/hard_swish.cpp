// hard_swish:  y = x·min(max(x + 3, 0), 6)/6
//   dx = 0 for x <= -3, dy for x >= 3, dy·(2x + 3)/6 between
//
// Example: x = [-4, -3, 0, 3, 6], dy = 4 each  ->  y = [0, 0, 0, 3, 6], dx = [0, 0, 2, 4, 4].
#include "family/activation.hpp"

namespace fusecheck::ops {

OpDef hard_swish() {
  return family::op_between("hard_swish", "y = x*min(max(x + 3, 0), 6)/6", -3, 3, family::hard_swish,
                            [](Kernel& k, Io& io, const family::Between& inside) {
                              return k.mul(io["dy"], family::hard_swish_slope(k, io["x"], inside));
                            });
}

}  // namespace fusecheck::ops
