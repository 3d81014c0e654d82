// conv_transpose2d:  y[n,o, i·sh + kh·dh - top, j·sw + kw·dw - left] += Σ_c x[n,c,i,j] · w[c,o,kh,kw], then + b[o]
//
// The gradient of a convolution with respect to its input, as an operator: x plays dy, and w [c, oc/groups, kh, kw] the
// weights of that convolution. dx = conv(dy, w)      dw = the convolution's weight gradient of dy and x      db = Σ dy
//
// Example: x = [[1, 2]], w = [[3, 4]] (1 channel, kernel 1x2, stride 2, no padding), b = 10, dy = [[1, 0, 0, 1]]
//   y = [[13, 14, 16, 18]],  dx = [[3, 4]],  dw = [[1, 2]],  db = 2.
//
// b is added to the finished sum. output_pad adds rows and columns at the bottom and right, which the stride leaves
// open.
#include "family/conv.hpp"
#include "family/draw.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

//   exact   family::draw_thinned
//   random  normal / sqrt(K), K terms of one output at stride 1
//   stress  the same; the last channel of x counts four times (a dropped last one shows)
double draw_weights(const DrawContext& draw, std::int64_t element) {
  const auto i = static_cast<std::uint64_t>(element);
  const Shape& w = draw.shape;
  const std::int64_t terms = w[0] / draw.attrs.integer("groups") * w[2] * w[3];
  if (draw.set == DataSet::exact) {  // a sum runs over the channels of x, which are the first axis of w, and the taps
    const std::int64_t taps = w[2] * w[3], channels = terms / taps;
    const std::int64_t term = family::along(w, 0, element) % channels * taps + element % taps;
    return family::draw_thinned(draw, element, term, terms);
  }
  double root = 1;  // a power of two next to 1/sqrt(K)
  while (root * root * static_cast<double>(terms) > 1.5) root /= 2;
  const bool last = draw.set == DataSet::stress && family::along(w, 0, element) == w[0] - 1;
  return (last ? 4 : 1) * root * draw.rng.normal(i);
}

std::int64_t output_length(const Conv2dAttrs& g, const Attrs& attrs, std::size_t axis, std::int64_t length) {
  const std::int64_t stride = axis == 0 ? g.stride_h : g.stride_w;
  const std::int64_t pads = axis == 0 ? g.pad_top + g.pad_bottom : g.pad_left + g.pad_right;
  const std::int64_t reach = attrs.integer("dilation", axis) * (attrs.integer("kernel", axis) - 1) + 1;
  const std::int64_t extra = attrs.integer("output_pad", axis);
  if (extra >= stride) {
    usage_error("--attr output_pad=" + std::to_string(extra) + " is not below the stride, " + std::to_string(stride) +
                ": a larger one adds elements that no tap reaches");
  }
  const std::int64_t result = (length - 1) * stride + reach - pads + extra;
  if (length > 0 && result < 1) {
    usage_error("conv_transpose2d: the padding, " + std::to_string(pads) + ", leaves nothing of the output; use less");
  }
  return length > 0 ? result : 0;
}

void infer(Shapes& shapes, const Attrs& attrs) {
  const Shape& x = shapes.at("x");
  if (x.size() != 4) usage_error("conv_transpose2d: x has shape " + to_text(x) + ", it needs 4 numbers n,c,h,w");
  const std::int64_t groups = attrs.integer("groups"), asked = attrs.integer("oc");
  const std::int64_t oc = asked > 0 ? asked : shapes.contains("w") ? shapes["w"].at(1) * groups : x[1];
  if (x[1] % groups != 0 || oc % groups != 0) {
    usage_error("--groups " + std::to_string(groups) + " does not divide both c = " + std::to_string(x[1]) +
                " and oc = " + std::to_string(oc) + "; choose a common divisor");
  }
  const Shape w = {x[1], oc / groups, attrs.integer("kernel", 0), attrs.integer("kernel", 1)};
  family::require_shape(shapes, "w", w, "c, oc/groups, kernel height, kernel width");
  if (!shapes.contains("b?")) family::require_shape(shapes, "b", {oc}, "one number for each output channel");
  const Conv2dAttrs g = family::conv2d_geometry(attrs);
  shapes["y"] = {x[0], oc, output_length(g, attrs, 0, x[2]), output_length(g, attrs, 1, x[3])};
}

Shape output_shape(const Io& io) {
  Shapes shapes = {{"x", io["x"].shape}, {"w", io["w"].shape}, {"b?", {}}};
  infer(shapes, io.attrs());
  return shapes.at("y");
}

}  // namespace

OpDef conv_transpose2d() {
  OpDef op;
  op.name = "conv_transpose2d";
  op.formula = "y = conv_transpose(x, w) + b";
  op.inputs = {{.name = "x", .doc = "n, c, h, w", .draw = family::draw_activation},
               {.name = "w", .doc = "c, oc/groups, kh, kw", .draw = draw_weights},
               {.name = "b", .role = Role::parameter, .doc = "oc", .draw = family::draw_shift, .optional = true}};
  op.outputs = {{.name = "y", .doc = "n, oc, (h-1)*stride + dilation*(kh-1) + 1 - top - bottom + output_pad, ..."}};
  op.attrs = family::conv2d_attrs();
  op.attrs.push_back({.name = "output_pad",
                      .fallback = {0, 0},
                      .doc = "rows and columns added at the bottom and right, below the stride",
                      .high = 1023,
                      .counts = {1, 2}});
  op.infer = infer;
  op.forward = [](Kernel& k, Io& io) {
    const Value y = k.conv2d_data_gradient(io["x"], io["w"], output_shape(io), family::conv2d_geometry(io.attrs()));
    io.out("y", io.given("b") ? k.add(y, family::per_channel(k, io["b"], y)) : y);
  };
  op.backward = [](Kernel& k, Io& io) {
    const Conv2dAttrs geometry = family::conv2d_geometry(io.attrs());
    io.out("dx", k.conv2d(io["dy"], io["w"], {}, geometry));
    io.out("dw", k.conv2d_weight_gradient(io["dy"], io["x"], io["w"].shape, geometry));
    if (io.given("b")) io.out("db", family::channel_sum(k, io["dy"]));
  };
  return op;
}

}  // namespace fusecheck::ops
