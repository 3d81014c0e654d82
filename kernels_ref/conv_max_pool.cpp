// ConvMaxPool:  y = max over windows of conv(x, w) + b
//
//   z = conv(x, w) + b;  dz = Σ over the windows that z wins: dy;  dx = dgrad(dz, w), dw = wgrad(x, dz), db = Σ dz
//
// pool, pool_stride, pool_pad are max_pool's kernel, stride and pad. The epilogue compares f32 accumulators, the
// unfused pool stored values, of which more are equal: dy is 0 where the winners may differ.
//
// Example (1x1 convolution): x = [1, 3], w = 2, b = 1: z = [3, 7]; a window of both: y = 7; dy = 5 goes to the second:
// dx = [0, 10], dw = 15, db = 5.
#include <limits>

#include "family/conv.hpp"
#include "family/move.hpp"
#include "family/window.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

Attrs pool_attributes(const Attrs& attrs) {
  Attrs own;
  own.set("kernel", attrs.list("pool"));
  own.set("stride", attrs.list("pool_stride"));
  own.set("pad", attrs.list("pool_pad"));
  own.set("round_up", attrs.list("round_up"));
  return own;
}

struct Pool {
  Shape y;
  Indices from;
  std::int64_t taps;
  Pool(const Shape& z, const Attrs& attrs) {
    const Attrs own = pool_attributes(attrs);
    const family::WindowAxes axes = family::window_axes(z, own, own.integer("round_up") == 1);
    y = family::pool_shape("ConvMaxPool", z, own);
    from = family::windows_of(z, axes);
    taps = family::tap_count(axes);
  }
  Shape windows() const { return {y[0], y[1], y[2], y[3], taps}; }
};

void forward(Kernel& k, Io& io) {
  const Value z = k.conv2d(io["x"], io["w"], io.optional("b"), family::conv2d_geometry(io.attrs()));
  const Pool pool(z.shape, io.attrs());
  const Value windows = k.pick(k.round("conv", z), pool.windows(), pool.from, -std::numeric_limits<double>::infinity());
  io.save("mask", k.first_maximum(windows, {4}));
  io.out("y", k.reshape(k.maximum(windows, {4}), pool.y));
}

// The shape of z, from those of x, w and the geometry.
Shape conv_shape(const Io& io, const Conv2dAttrs& g) {
  const Shape &x = io["x"].shape, &w = io["w"].shape;
  return {x[0], w[0], (x[2] + g.pad_top + g.pad_bottom - g.dilation_h * (w[2] - 1) - 1) / g.stride_h + 1,
          (x[3] + g.pad_left + g.pad_right - g.dilation_w * (w[3] - 1) - 1) / g.stride_w + 1};
}

void backward(Kernel& k, Io& io) {
  const Conv2dAttrs geometry = family::conv2d_geometry(io.attrs());
  const Shape z = conv_shape(io, geometry);
  const Pool pool(z, io.attrs());
  const Shape& y = pool.y;
  const Value shares = k.mul(k.reshape(io["dy"], {y[0], y[1], y[2], y[3], 1}), io["mask"]);
  const Value kept = family::scatter_sum(k, shares, z, *pool.from);
  const Value dz = k.operand("dconv", kept);
  io.out("dx", k.conv2d_data_gradient(dz, io["w"], io["x"].shape, geometry));
  io.out("dw", k.conv2d_weight_gradient(io["x"], dz, io["w"].shape, geometry));
  if (io.given("b")) io.out("db", family::channel_sum(k, k.either(dz, kept)));
}

}  // namespace

OpDef conv_max_pool() {
  OpDef op;
  op.name = "ConvMaxPool";
  op.aliases = {"FusedConvMaxPool"};
  op.formula = "y = max_pool(conv(x, w) + b)";
  op.body = "conv = conv2d(x, w, b); y = max_pool(conv, kernel=pool, stride=pool_stride, pad=pool_pad)";
  op.recipes = {{.name = "epilogue",
                 .doc = "the f32 accumulators pooled, one rounding at the end",
                 .forward = forward,
                 .backward = backward,
                 .budget = 2}};  // dz, a sum where windows overlap, and dx (or dw)
  return op;
}

}  // namespace fusecheck::ops
