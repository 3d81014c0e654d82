// gather:  y = the entries of x at `index` along an axis      dx = Σ of the dy that came from each entry
//
// index has any shape, which takes the place of the axis: a table of embeddings is axis 0.
//
// Example (axis = 0): x = [[1, 2], [3, 4], [5, 6]], index = [2, 0, 2], dy = [[1, 1], [2, 2], [4, 4]]
//   y = [[5, 6], [1, 2], [5, 6]],  dx = [[2, 2], [0, 0], [5, 5]].
#include <utility>

#include "family/draw.hpp"
#include "family/move.hpp"
#include "family/reduce.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

std::size_t axis_of(const Shape& x, const Attrs& attrs) {
  return static_cast<std::size_t>(family::axes_of(attrs, "axis", x.size()).at(0));
}

Shape gathered_shape(const Shape& x, const Shape& index, std::size_t axis) {
  Shape y(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(axis));
  y.insert(y.end(), index.begin(), index.end());
  y.insert(y.end(), x.begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.end());
  return y;
}

// For each element of y, its position in x.
std::vector<std::int64_t> positions(Kernel& k, Io& io) {
  const Shape& x = io["x"].shape;
  const std::size_t axis = axis_of(x, io.attrs());
  const std::vector<std::int64_t> index = k.integers(io["index"]);
  const std::int64_t inner = family::strides_of(x)[axis];
  const std::int64_t outer = x[axis] * inner == 0 ? 0 : element_count(x) / (x[axis] * inner);
  std::vector<std::int64_t> from;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (const std::int64_t entry : index) {
      if (entry < 0 || entry >= x[axis]) {
        usage_error("gather: index " + std::to_string(entry) + " is outside [0, " + std::to_string(x[axis]) +
                    "), the length of axis " + std::to_string(axis) + " of x");
      }
      for (std::int64_t i = 0; i < inner; ++i) from.push_back((o * x[axis] + entry) * inner + i);
    }
  }
  return from;
}

// Both ends of the axis come first, where a bound that is one off or a padding index shows; the last two positions are
// the first one again, far apart from it, so that a gradient which overwrites, or adds in 16 bits, shows: of three
// terms the last is the first to meet a sum that is rounded. It is the upper end, which no index is that was never read
// (0). All others lie anywhere.
double draw(const DrawContext& draw, std::int64_t element) {
  const double any = family::draw_index(draw, element);
  if (element == 1) return 0;
  return element == 0 || element >= element_count(draw.shape) - 2 ? static_cast<double>(draw.limit - 1) : any;
}

}  // namespace

OpDef gather() {
  OpDef op;
  op.name = "gather";
  op.formula = "y = x[index] along an axis";
  op.inputs = {{.name = "x", .doc = "any shape of rank 1 or more", .draw = family::draw_activation},
               {.name = "index",
                .role = Role::index,
                .doc = "any shape; positions along the axis",
                .draw = draw,
                .gradient = false}};
  op.outputs = {{.name = "y", .doc = "the shape of x, with that of index in place of the axis"}};
  op.attrs = {{.name = "axis", .fallback = {0}, .doc = "along which x is read", .low = -8, .high = 7}};
  op.infer = [](Shapes& shapes, const Attrs& attrs) {
    const Shape x = shapes.at("x");
    const std::size_t axis = axis_of(x, attrs);
    const Shape& index = shapes.try_emplace("index", Shape{x[axis] + 1}).first->second;
    shapes["y"] = gathered_shape(x, index, axis);
    shapes["index<"] = {x[axis]};
  };
  op.forward = [](Kernel& k, Io& io) {
    const Shape& x = io["x"].shape;
    auto from = std::make_shared<const std::vector<std::int64_t>>(positions(k, io));
    io.out("y", k.pick(io["x"], gathered_shape(x, io["index"].shape, axis_of(x, io.attrs())), from, 0));
  };
  op.backward = [](Kernel& k, Io& io) {
    io.out("dx", family::scatter_sum(k, io["dy"], io["x"].shape, positions(k, io)));
  };
  return op;
}

}  // namespace fusecheck::ops
