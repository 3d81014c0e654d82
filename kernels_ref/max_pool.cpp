// max_pool:  y[n,c,i,j] = max over the window x[n, c, i·sh - top .. + kh - 1, j·sw - left .. + kw - 1]
//            dx = Σ over the windows in which an element is the first largest: dy
//
// Padding never wins: it counts as -Inf. Of equal elements the first one (row-major) gets the gradient, as PyTorch's
// and cuDNN's do. A NaN makes its windows NaN. mask, saved: which tap of each window won.
//
// Example: x = [[1, 3, 2], [4, 4, 0]], kernel 2, stride 1, dy = [[5, 7]]  ->  y = [[4, 4]]; the first window's winner
// is x[1,0], the second's x[1,1] (its left neighbour is outside): dx = [[0, 0, 0], [5, 7, 0]].
#include <limits>

#include "family/draw.hpp"
#include "family/move.hpp"
#include "family/window.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

family::WindowAxes axes_of(const Io& io) {
  return family::window_axes(io["x"].shape, io.attrs(), io.attrs().integer("round_up") == 1);
}

Shape mask_shape(Shape y, const Attrs& attrs) {
  y.push_back(attrs.integer("kernel", 0) * attrs.integer("kernel", 1));
  return y;
}

// Every value once at most: with equal elements in a window, which of them gets the gradient is a convention.
//   exact   a permutation of integers in [-1024, 1023], as long as 2048 elements last
//   random  as an activation        stress  all negative: padding with 0 would win
double draw(const DrawContext& draw, std::int64_t element) {
  if (draw.set == DataSet::exact) return static_cast<double>(element * 1021 % 2048 - 1024);
  const double value = family::draw_activation(draw, element);
  return draw.set == DataSet::stress ? -1 - (value < 0 ? -value : value) : value;
}

}  // namespace

OpDef max_pool() {
  OpDef op;
  op.name = "max_pool";
  op.formula = "y = max over windows of x";
  op.inputs = {{.name = "x", .doc = "n, c, h, w", .draw = draw}};
  op.outputs = {{.name = "y", .doc = "n, c, oh, ow"}};
  op.saved = {{.name = "mask", .role = Role::mask, .doc = "n, c, oh, ow, kh*kw: 1 at the first largest"}};
  op.attrs = family::pool_attrs();
  op.infer = [](Shapes& shapes, const Attrs& attrs) {
    shapes["y"] = family::pool_shape("max_pool", shapes.at("x"), attrs);
    shapes["mask"] = mask_shape(shapes["y"], attrs);
  };
  op.forward = [](Kernel& k, Io& io) {
    const Shape y = family::pool_shape("max_pool", io["x"].shape, io.attrs());
    const Value windows =
        k.pick(io["x"], mask_shape(y, io.attrs()), family::windows_of(io["x"].shape, axes_of(io)), -infinity);
    io.save("mask", k.first_maximum(windows, {4}));
    io.out("y", k.reshape(k.maximum(windows, {4}), y));
  };
  op.backward = [](Kernel& k, Io& io) {
    Shape wide = io["dy"].shape;
    wide.push_back(1);
    const Value shares = k.mul(k.reshape(io["dy"], wide), io["mask"]);
    io.out("dx", family::scatter_sum(k, shares, io["x"].shape, *family::windows_of(io["x"].shape, axes_of(io))));
  };
  return op;
}

}  // namespace fusecheck::ops
