// log:  y = ln x      dx = dy/x      (x < 0 gives NaN, 0 gives -Inf)
//
// Example: x = [1, 4], dy = [3, 8]  ->  y = [0, ln 4], dx = [3, 2].
#include "family/draw.hpp"
#include "family/elementwise.hpp"

namespace fusecheck::ops {

OpDef log() {
  return family::unary_op(
      "log", "y = ln(x)", family::draw_positive,
      [](Kernel& k, Io& io) { io.out("y", k.function(Function::log, io["x"])); },
      [](Kernel& k, Io& io) { io.out("dx", k.div(io["dy"], io["x"])); });
}

}  // namespace fusecheck::ops
