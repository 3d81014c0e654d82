// global_avg_pool:  y[n,c] = (Σ_{h,w,..} x[n,c,h,w,..])/(h·w..)      dx = dy/(h·w..)
//
// Example: x = [[1, 3], [2, 6]] (n = c = 1), dy = 4  ->  y = 3, dx = [[1, 1], [1, 1]].
#include "family/draw.hpp"
#include "family/move.hpp"
#include "family/reduce.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

std::vector<int> spatial_axes(const Shape& x) { return family::last_axes(x, static_cast<int>(x.size()) - 2); }

}  // namespace

OpDef global_avg_pool() {
  OpDef op;
  op.name = "global_avg_pool";
  op.formula = "y = mean over h, w of x";
  op.inputs = {{.name = "x", .doc = "n, c, h, w, ...", .draw = family::draw_activation}};
  op.outputs = {{.name = "y", .doc = "n, c, 1, 1, ..."}};
  op.infer = [](Shapes& shapes, const Attrs&) {
    Shape y = shapes.at("x");
    if (y.size() < 3) usage_error("global_avg_pool: x has shape " + to_text(y) + ", it needs n, c and one more");
    for (std::size_t axis = 2; axis < y.size(); ++axis) y[axis] = 1;
    shapes["y"] = y;
  };
  op.forward = [](Kernel& k, Io& io) {
    io.out("y", family::mean_in_any_order(k, io["x"], spatial_axes(io["x"].shape)));
  };
  op.backward = [](Kernel& k, Io& io) {
    const Shape& x = io["x"].shape;
    const Value share = family::divided(k, io["dy"], family::count_along(x, spatial_axes(x)));
    io.out("dx", family::repeated(k, share, x));
  };
  return op;
}

}  // namespace fusecheck::ops
