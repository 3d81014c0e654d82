// sqrt:  y = √x      dx = dy/(2y)      (x < 0 gives NaN)
//
// The backward reads y as stored. A device has the 3 ULP that N12 grants a root: x·rsqrt(x) is legal.
//
// Example: x = [1, 16], dy = [4, 8]  ->  y = [1, 4], dx = [2, 1].
#include "family/draw.hpp"
#include "family/elementwise.hpp"

namespace fusecheck::ops {
namespace {

// draw_positive; 1, 4 or 16 for exact data, whose roots are exact.
double draw_square(const DrawContext& draw, std::int64_t element) {
  const double value = family::draw_positive(draw, element);
  return draw.set == DataSet::exact ? value * value : value;
}

}  // namespace

OpDef sqrt() {
  return family::unary_op(
      "sqrt", "y = sqrt(x)", draw_square, [](Kernel& k, Io& io) { io.out("y", k.function(Function::sqrt, io["x"])); },
      [](Kernel& k, Io& io) {
        const Value& y = io["y"];
        io.out("dx", k.div(io["dy"], k.add(y, y)));
      });
}

}  // namespace fusecheck::ops
