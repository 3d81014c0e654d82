// bias:  y[n,c,...] = x[n,c,...] + b[c]      dx = dy      db[c] = Σ_{n,...} dy[n,c,...]
//
// axis says where c lies: 1 behind a convolution, -1 (the last) behind a product of matrices.
//
// Example: x = [[1, 2]] (n = 1, c = 2), b = [10, 20], dy = [[3, 4]]  ->  y = [[11, 22]], dx = [[3, 4]], db = [3, 4].
#include "family/conv.hpp"
#include "family/draw.hpp"
#include "family/reduce.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

int channel_axis(const Attrs& attrs, const Shape& x) { return family::axes_of(attrs, "axis", x.size()).at(0); }

// b [c] as [1, .., c, .., 1].
Value along_axis(Kernel& k, const Value& b, const Shape& x, int axis) {
  Shape shape(x.size(), 1);
  shape[static_cast<std::size_t>(axis)] = b.shape[0];
  return k.reshape(b, shape);
}

std::vector<int> all_but(int axis, const Shape& x) {
  std::vector<int> axes;
  for (int other = 0; other < static_cast<int>(x.size()); ++other) {
    if (other != axis) axes.push_back(other);
  }
  return axes;
}

}  // namespace

OpDef bias() {
  OpDef op;
  op.name = "bias";
  op.formula = "y[n,c] = x[n,c] + b[c]";
  op.inputs = {{.name = "x", .doc = "n, c, ...", .draw = family::draw_activation},
               {.name = "b", .role = Role::parameter, .doc = "c", .draw = family::draw_shift}};
  op.outputs = {{.name = "y", .doc = "the shape of x"}};
  op.structural = {{"dx", "the gradient of a sum is dy itself", false}};
  op.attrs = {{.name = "axis", .fallback = {1}, .doc = "the axis of c (-1: the last)", .low = -8, .high = 7}};
  op.infer = [](Shapes& shapes, const Attrs& attrs) {
    const Shape& x = shapes.at("x");
    if (x.size() < 2) usage_error("bias: x needs at least 2 dimensions n, c, got " + to_text(x));
    const std::int64_t c = x[static_cast<std::size_t>(channel_axis(attrs, x))];
    family::require_shape(shapes, "b", {c}, "bias: one number for each channel of x");
    shapes["y"] = x;
  };
  op.forward = [](Kernel& k, Io& io) {
    const Shape& x = io["x"].shape;
    io.out("y", k.add(io["x"], along_axis(k, io["b"], x, channel_axis(io.attrs(), x))));
  };
  op.backward = [](Kernel& k, Io& io) {
    const Value& dy = io["dy"];
    io.out("dx", dy);
    io.out("db", k.reshape(k.sum(dy, all_but(channel_axis(io.attrs(), dy.shape), dy.shape)), io["b"].shape));
  };
  return op;
}

}  // namespace fusecheck::ops
