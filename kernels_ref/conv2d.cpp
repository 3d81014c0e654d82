// conv2d:  y[n,o,i,j] = b[o] + Σ_{c,kh,kw} x[n, c, i·sh + kh·dh - top, j·sw + kw·dw - left] · w[o,c,kh,kw]
//
//   dx = the transposed convolution of dy with w      dw[o,c,kh,kw] = Σ_{n,i,j} dy[n,o,i,j] · x[...]      db = Σ dy
//
// Example: x = [[1, 2], [3, 4]], w = [[1, 0], [0, 1]] (1 channel, no padding), b = 10, dy = 3
//   y = 1·1 + 4·1 + 10 = 15,  dx = [[3, 0], [0, 3]],  dw = [[3, 6], [9, 12]],  db = 3.
//
// Outside x the value is 0: such a tap adds nothing, even where w is infinite. The accumulator starts from b (Ascend's
// Cube and oneDNN do so). Group g maps the channels [g·c/groups, (g+1)·c/groups) to the outputs [g·oc/groups,
// (g+1)·oc/groups).
#include "family/conv.hpp"
#include "family/draw.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

// Terms of one output.
std::int64_t depth(const Shape& w) { return w[1] * w[2] * w[3]; }

//   exact   family::draw_thinned
//   random  normal / sqrt(K): y is of the size of x, and the products are sign-balanced
//   stress  the same; every fifth filter has one sign (its sums do not cancel), the last tap is four times as large
double draw_weights(const DrawContext& draw, std::int64_t element) {
  const auto i = static_cast<std::uint64_t>(element);
  const auto k = static_cast<double>(depth(draw.shape));
  const std::int64_t term = element % depth(draw.shape);
  if (draw.set == DataSet::exact) return family::draw_thinned(draw, element, term, depth(draw.shape));
  double root = 1;  // a power of two next to 1/sqrt(K): the scale only has to be of the right size
  while (root * root * k > 1.5) root /= 2;
  const double value = root * draw.rng.normal(i);
  if (draw.set == DataSet::random) return value;
  const bool last_tap = term == depth(draw.shape) - 1;
  const bool one_sign = family::along(draw.shape, 0, element) % 5 == 4 && value < 0;
  return (last_tap ? 4 : 1) * (one_sign ? -value : value);
}

void infer(Shapes& shapes, const Attrs& attrs) {
  const Shape& x = shapes.at("x");
  if (x.size() != 4) {
    usage_error("x has shape " + to_text(x) + ": a convolution needs 4 numbers n,c,h,w, got " +
                std::to_string(x.size()));
  }
  const std::int64_t groups = attrs.integer("groups");
  const std::int64_t asked = attrs.integer("oc");
  const bool given = shapes.contains("w");
  const std::int64_t oc = asked > 0 ? asked : given ? shapes["w"].at(0) : x[1];
  if (x[1] % groups != 0 || oc % groups != 0) {
    usage_error("--groups " + std::to_string(groups) + " does not divide both c = " + std::to_string(x[1]) +
                " and oc = " + std::to_string(oc) + "; choose a common divisor");
  }
  const Shape w = {oc, x[1] / groups, attrs.integer("kernel", 0), attrs.integer("kernel", 1)};
  family::require_shape(shapes, "w", w, "oc, c/groups, kernel height, kernel width");
  if (!shapes.contains("b?")) family::require_shape(shapes, "b", {oc}, "one number for each output channel");
  const Conv2dAttrs g = family::conv2d_geometry(attrs);
  const std::int64_t height = x[2] + g.pad_top + g.pad_bottom - g.dilation_h * (w[2] - 1) - 1;
  const std::int64_t width = x[3] + g.pad_left + g.pad_right - g.dilation_w * (w[3] - 1) - 1;
  if (height < 0 || width < 0) {
    usage_error("--kernel " + std::to_string(w[2]) + "," + std::to_string(w[3]) + " with dilation " +
                std::to_string(g.dilation_h) + "," + std::to_string(g.dilation_w) +
                " does not fit into x = " + to_text(x) + " with its padding; use more --pad or a larger input");
  }
  const Shape y = {x[0], oc, height / g.stride_h + 1, width / g.stride_w + 1};
  family::require_shape(shapes, "y", y, "the output of the convolution");
}

}  // namespace

OpDef conv2d() {
  OpDef op;
  op.name = "conv2d";
  op.formula = "y = conv(x, w) + b";
  op.inputs = {{.name = "x", .doc = "n, c, h, w", .draw = family::draw_activation},
               {.name = "w", .doc = "oc, c/groups, kh, kw", .draw = draw_weights},
               {.name = "b", .role = Role::parameter, .doc = "oc", .draw = family::draw_shift, .optional = true}};
  op.outputs = {{.name = "y", .doc = "n, oc, oh, ow"}};
  op.attrs = family::conv2d_attrs();
  op.infer = infer;
  op.forward = [](Kernel& k, Io& io) {
    io.out("y", k.conv2d(io["x"], io["w"], io.optional("b"), family::conv2d_geometry(io.attrs())));
  };
  op.backward = [](Kernel& k, Io& io) {
    const Conv2dAttrs geometry = family::conv2d_geometry(io.attrs());
    io.out("dx", k.conv2d_data_gradient(io["dy"], io["w"], io["x"].shape, geometry));
    io.out("dw", k.conv2d_weight_gradient(io["x"], io["dy"], io["w"].shape, geometry));
    if (io.given("b")) io.out("db", family::channel_sum(k, io["dy"]));
  };
  return op;
}

}  // namespace fusecheck::ops
