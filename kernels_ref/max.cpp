// max:  y = max(a, b)      da = dy·[a > b]      db = dy·[b > a]      where a = b each takes dy/2
//
// (summed over the axes along which the operand was repeated). NaN where either operand is NaN. Half each is the rule
// of PyTorch and JAX; TensorFlow and MindSpore give all of dy to a: --attr ties=1, ties=2; unless one is said, both are
// legal.
//
// Example: a = [3, 2, 4], b = [1, 2, 5], dy = [4, 2, 4]  ->  y = [3, 2, 5], da = [4, 1, 0], db = [0, 1, 4].
#include "family/draw.hpp"
#include "family/elementwise.hpp"

namespace fusecheck::ops {

OpDef max() { return family::selection_op("max", "y = max(a, b)", Binary::maximum); }

}  // namespace fusecheck::ops
