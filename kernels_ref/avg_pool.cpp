// avg_pool:  y[n,c,i,j] = (Σ over the window)/count      dx = Σ over the windows that hold an element: dy/count
//
// count_include_pad = 1 (PyTorch's default): padding counts as zeros, though not what hangs over behind it (round_up);
// 0 (ONNX's default): only elements of x count.
//
// Example: x = [[1, 3, 2], [4, 4, 0]], kernel 2, stride 1, dy = [[4, 8]]  ->  y = [[3, 9/4]],
// dx = [[1, 3, 2], [1, 3, 2]].
#include "family/draw.hpp"
#include "family/move.hpp"
#include "family/window.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

family::WindowAxes axes_of(const Shape& x, const Attrs& attrs) {
  return family::window_axes(x, attrs, attrs.integer("round_up") == 1);
}

// Ones in the windows of one plane, [1, 1, oh, ow, taps], where an element counts, summed: [1, 1, oh, ow].
Value counts(Kernel& k, const Shape& x, const Attrs& attrs) {
  family::WindowAxes axes = axes_of(x, attrs);
  if (attrs.integer("count_include_pad") == 1) {
    for (family::WindowAxis& axis : axes) {  // the padded plane, from which nothing is outside but what hangs over
      axis.length += axis.before + axis.after;
      axis.before = 0;
    }
  }
  const Shape plane = {1, 1, axes[0].length, axes[1].length};
  std::vector<std::int64_t> from = *family::windows_of(plane, axes);
  for (std::int64_t& at : from) at = at < 0 ? -1 : 0;
  const Value ones = k.pick(k.constant(1), {1, 1, axes[0].out, axes[1].out, family::tap_count(axes)},
                            std::make_shared<const std::vector<std::int64_t>>(std::move(from)), 0);
  return k.reshape(k.sum(ones, {4}), {1, 1, axes[0].out, axes[1].out});
}

// A device divides, or multiplies with the rounded reciprocal.
Value divided(Kernel& k, const Value& x, const Value& count) {
  return k.either(k.div(x, count), k.mul(x, k.div(k.constant(1), count)));
}

}  // namespace

OpDef avg_pool() {
  OpDef op;
  op.name = "avg_pool";
  op.formula = "y = mean over windows of x";
  op.inputs = {{.name = "x", .doc = "n, c, h, w", .draw = family::draw_activation}};
  op.outputs = {{.name = "y", .doc = "n, c, oh, ow"}};
  op.attrs = family::pool_attrs();
  op.attrs.push_back({.name = "count_include_pad",
                      .fallback = {1},
                      .doc = "1: padding counts as zeros, 0: only elements of x count",
                      .high = 1});
  op.infer = [](Shapes& shapes, const Attrs& attrs) {
    shapes["y"] = family::pool_shape("avg_pool", shapes.at("x"), attrs);
  };
  op.forward = [](Kernel& k, Io& io) {
    const Shape& x = io["x"].shape;
    const Shape y = family::pool_shape("avg_pool", x, io.attrs());
    const family::WindowAxes axes = axes_of(x, io.attrs());
    const Value windows =
        k.pick(io["x"], {y[0], y[1], y[2], y[3], family::tap_count(axes)}, family::windows_of(x, axes), 0);
    const Value count = counts(k, x, io.attrs());
    // A depthwise convolution with the weights 1/count is legal, too: it rounds each term.
    const Value share = k.reshape(k.div(k.constant(1), count), {1, 1, y[2], y[3], 1});
    const Value by_shares = k.reshape(k.sum(k.mul(windows, share), {4}), y);
    io.out("y", k.either(divided(k, k.reshape(k.sum(windows, {4}), y), count), by_shares));
  };
  op.backward = [](Kernel& k, Io& io) {
    const Shape& x = io["x"].shape;
    const family::WindowAxes axes = axes_of(x, io.attrs());
    const Value share = divided(k, io["dy"], counts(k, x, io.attrs()));
    const Shape& y = share.shape;
    const Value shares = family::repeated(k, k.reshape(share, {y[0], y[1], y[2], y[3], 1}),
                                          {y[0], y[1], y[2], y[3], family::tap_count(axes)});
    io.out("dx", family::scatter_sum(k, shares, x, *family::windows_of(x, axes)));
  };
  return op;
}

}  // namespace fusecheck::ops
