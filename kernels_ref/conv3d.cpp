// conv3d:  y[n,o,i] = b[o] + Σ_{c,t} x[n, c, i·stride + t·dilation - pad] · w[o,c,t]      i, t: depth, height, width
//
//   dx[n,c,j] = Σ_{o,t} dy[n,o,i]·w[o,c,t], over the i that reach j by t      dw[o,c,t] = Σ_{n,i} dy·x      db = Σ dy
//
// One contraction each: the columns of x (or of dy) times the weights, as a 1x1 convolution; a tap in the padding is
// the term 0·w in its place.
//
// Example: x = 1, 2 one behind the other (n = c = h = w = 1, depth 2), w = [3, 4] (kernel 2x1x1, no padding), b = 10,
// dy = 5: y = 1·3 + 2·4 + 10 = 21,  dx = [15, 20],  dw = [5, 10],  db = 5.
#include "family/conv.hpp"
#include "family/draw.hpp"
#include "family/move.hpp"
#include "family/window.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

//   exact, random  as conv2d
//   stress         the last tap is four times as large
double draw_weights(const DrawContext& draw, std::int64_t element) {
  const auto i = static_cast<std::uint64_t>(element);
  const std::int64_t terms = element_count(draw.shape) / draw.shape[0];
  if (draw.set == DataSet::exact) return family::draw_thinned(draw, element, element % terms, terms);
  double root = 1;  // a power of two next to 1/sqrt(K)
  while (root * root * static_cast<double>(terms) > 1.5) root /= 2;
  const bool last = draw.set == DataSet::stress && element % terms == terms - 1;
  return (last ? 4 : 1) * root * draw.rng.normal(i);
}

void infer(Shapes& shapes, const Attrs& attrs) {
  const Shape& x = shapes.at("x");
  if (x.size() != 5) usage_error("conv3d: x has shape " + to_text(x) + ", it needs 5 numbers n,c,d,h,w");
  const std::int64_t groups = attrs.integer("groups"), asked = attrs.integer("oc");
  const std::int64_t oc = asked > 0 ? asked : shapes.contains("w") ? shapes["w"].at(0) : x[1];
  if (x[1] % groups != 0 || oc % groups != 0) {
    usage_error("--groups " + std::to_string(groups) + " does not divide both c = " + std::to_string(x[1]) +
                " and oc = " + std::to_string(oc) + "; choose a common divisor");
  }
  const Shape w = {oc, x[1] / groups, attrs.integer("kernel", 0), attrs.integer("kernel", 1),
                   attrs.integer("kernel", 2)};
  family::require_shape(shapes, "w", w, "oc, c/groups, kernel depth, height, width");
  if (!shapes.contains("b?")) family::require_shape(shapes, "b", {oc}, "one number for each output channel");
  shapes["y"] = {x[0], oc};
  for (const family::WindowAxis& axis : family::window_axes(x, attrs, false)) shapes["y"].push_back(axis.out);
}

// The convolution whose windows are gathered: x as [n, c·taps, 1, windows], w as [oc, c/groups·taps, 1, 1].
struct Columns {
  Shape x, y, w;
  family::WindowAxes axes;
  Conv2dAttrs attrs;
  Columns(const Shape& x_shape, const Shape& w_shape, const Attrs& given)
      : axes(family::window_axes(x_shape, given, false)), attrs{.groups = given.integer("groups")} {
    const std::int64_t windows = family::window_count(axes), taps = family::tap_count(axes);
    x = {x_shape[0], x_shape[1] * taps, 1, windows};
    y = {x_shape[0], w_shape[0], 1, windows};
    w = {w_shape[0], w_shape[1] * taps, 1, 1};
  }
};

Value gathered(Kernel& k, Io& io, const Columns& columns) {
  return k.pick(io["x"], columns.x, family::columns_of(io["x"].shape, columns.axes), 0);
}

// For each element of x and each tap: the window that reads the element through that tap, one at most.
Indices readers(const Shape& x, std::int64_t oc, const family::WindowAxes& axes) {
  const Shape one = {1, 1, x[2], x[3], x[4]};
  const std::int64_t plane = element_count(one), windows = family::window_count(axes), taps = family::tap_count(axes);
  std::vector<std::int64_t> window(static_cast<std::size_t>(taps * plane), -1);
  const Indices source = family::columns_of(one, axes);
  for (std::int64_t i = 0; i < taps * windows; ++i) {
    const std::int64_t at = (*source)[static_cast<std::size_t>(i)];
    if (at >= 0) window[static_cast<std::size_t>(i / windows * plane + at)] = i % windows;
  }
  std::vector<std::int64_t> from;
  from.reserve(static_cast<std::size_t>(x[0] * oc) * window.size());
  for (std::int64_t channel = 0; channel < x[0] * oc; ++channel) {
    for (const std::int64_t w : window) from.push_back(w < 0 ? -1 : channel * windows + w);
  }
  return std::make_shared<const std::vector<std::int64_t>>(std::move(from));
}

// w [groups·og, cg, taps] as [groups·cg, og·taps, 1, 1]: the weights of dx.
Value turned(Kernel& k, const Value& w, std::int64_t groups, std::int64_t taps) {
  const std::int64_t og = w.shape[0] / groups, cg = w.shape[1];
  const Value moved = family::transposed(k, k.reshape(w, {groups, og, cg, taps}), {0, 2, 1, 3});
  return k.reshape(moved, {groups * cg, og * taps, 1, 1});
}

Value data_gradient(Kernel& k, Io& io, const Columns& columns) {
  const Shape& x = io["x"].shape;
  const std::int64_t oc = io["w"].shape[0], taps = family::tap_count(columns.axes), plane = x[2] * x[3] * x[4];
  const Value dy = k.pick(io["dy"], {x[0], oc * taps, 1, plane}, readers(x, oc, columns.axes), 0);
  const Value dx = k.conv2d(dy, turned(k, io["w"], columns.attrs.groups, taps), {}, columns.attrs);
  return k.reshape(dx, x);
}

}  // namespace

OpDef conv3d() {
  OpDef op;
  op.name = "conv3d";
  op.formula = "y = conv(x, w) + b";
  op.inputs = {{.name = "x", .doc = "n, c, d, h, w", .draw = family::draw_activation},
               {.name = "w", .doc = "oc, c/groups, kd, kh, kw", .draw = draw_weights},
               {.name = "b", .role = Role::parameter, .doc = "oc", .draw = family::draw_shift, .optional = true}};
  op.outputs = {{.name = "y", .doc = "n, oc, od, oh, ow"}};
  const auto triple = [](const char* name, const char* doc, double fallback) {
    return AttrSpec{
        .name = name, .fallback = {fallback, fallback, fallback}, .doc = doc, .low = 1, .high = 1024, .counts = {1, 3}};
  };
  op.attrs = {{.name = "oc", .fallback = {0}, .doc = "output channels (0: as many as x has)", .high = 1 << 20},
              triple("kernel", "kernel depth, height, width", 3),
              triple("stride", "step backwards, down, right", 1),
              {.name = "pad",
               .fallback = {-1, -1, -1, -1, -1, -1},
               .doc = "zeros at front, top, left, back, bottom, right (-1: dilation*(kernel-1)/2)",
               .low = -1,
               .high = 1024,
               .counts = {1, 3, 6}},
              triple("dilation", "distance between taps", 1),
              {.name = "groups", .fallback = {1}, .doc = "independent blocks of channels", .low = 1, .high = 1 << 20}};
  op.infer = infer;
  op.forward = [](Kernel& k, Io& io) {
    const Columns columns(io["x"].shape, io["w"].shape, io.attrs());
    const Value y = k.conv2d(gathered(k, io, columns), k.reshape(io["w"], columns.w), io.optional("b"), columns.attrs);
    Shape shape = {columns.y[0], columns.y[1]};
    for (const family::WindowAxis& axis : columns.axes) shape.push_back(axis.out);
    io.out("y", k.reshape(y, shape));
  };
  op.backward = [](Kernel& k, Io& io) {
    const Columns columns(io["x"].shape, io["w"].shape, io.attrs());
    io.out("dx", data_gradient(k, io, columns));
    const Value dw =
        k.conv2d_weight_gradient(gathered(k, io, columns), k.reshape(io["dy"], columns.y), columns.w, columns.attrs);
    io.out("dw", k.reshape(dw, io["w"].shape));
    if (io.given("b")) io.out("db", family::channel_sum(k, io["dy"]));
  };
  return op;
}

}  // namespace fusecheck::ops
