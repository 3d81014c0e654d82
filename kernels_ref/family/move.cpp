#include "family/move.hpp"

#include <algorithm>
#include <utility>

#include "family/draw.hpp"

namespace fusecheck::family {
namespace {

// Calls position(index) for every index of a shape, row-major, and collects the results.
template <class Position>
std::vector<std::int64_t> for_each_index(const Shape& shape, Position position) {
  std::vector<std::int64_t> list;
  const std::int64_t n = element_count(shape);
  list.reserve(static_cast<std::size_t>(n));
  Shape index(shape.size(), 0);
  for (std::int64_t i = 0; i < n; ++i) {
    list.push_back(position(index));
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
  return list;
}

Indices shared(std::vector<std::int64_t> list) {
  return std::make_shared<const std::vector<std::int64_t>>(std::move(list));
}

}  // namespace

Shape strides_of(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

Value transposed(Kernel& k, const Value& x, const std::vector<int>& order) {
  const Shape strides = strides_of(x.shape);
  Shape shape;
  for (const int axis : order) shape.push_back(x.shape[static_cast<std::size_t>(axis)]);
  return k.pick(x, shape,
                shared(for_each_index(shape,
                                      [&](const Shape& index) {
                                        std::int64_t at = 0;
                                        for (std::size_t j = 0; j < order.size(); ++j) {
                                          at += index[j] * strides[static_cast<std::size_t>(order[j])];
                                        }
                                        return at;
                                      })),
                0);
}

Value swapped(Kernel& k, const Value& x) {
  std::vector<int> order(x.shape.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return transposed(k, x, order);
}

std::vector<Range> range_along(const Shape& shape, std::size_t axis, const Range& range) {
  std::vector<Range> ranges;
  for (const std::int64_t length : shape) ranges.push_back({0, length, 1});
  ranges[axis] = range;
  return ranges;
}

Shape sliced_shape(const std::vector<Range>& ranges) {
  Shape shape;
  for (const Range& r : ranges) shape.push_back(r.end > r.begin ? (r.end - r.begin + r.step - 1) / r.step : 0);
  return shape;
}

namespace {

std::vector<std::int64_t> sliced_positions(const Shape& x, const std::vector<Range>& ranges) {
  const Shape strides = strides_of(x);
  return for_each_index(sliced_shape(ranges), [&](const Shape& index) {
    std::int64_t at = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      at += (ranges[axis].begin + index[axis] * ranges[axis].step) * strides[axis];
    }
    return at;
  });
}

}  // namespace

Value sliced(Kernel& k, const Value& x, const std::vector<Range>& ranges) {
  return k.pick(x, sliced_shape(ranges), shared(sliced_positions(x.shape, ranges)), 0);
}

Value unsliced(Kernel& k, const Value& dy, const Shape& x, const std::vector<Range>& ranges) {
  std::vector<std::int64_t> from(static_cast<std::size_t>(element_count(x)), -1);
  const std::vector<std::int64_t> to = sliced_positions(x, ranges);
  for (std::size_t i = 0; i < to.size(); ++i) from[static_cast<std::size_t>(to[i])] = static_cast<std::int64_t>(i);
  return k.pick(dy, x, shared(std::move(from)), 0);
}

OpDef slicing_op(std::string name, std::string formula, std::vector<AttrSpec> attrs,
                 std::vector<Range> (*ranges_of)(const Shape& x, const Attrs&)) {
  OpDef op;
  op.name = std::move(name);
  op.formula = std::move(formula);
  op.inputs = {{.name = "x", .doc = "any shape of rank 1 or more", .draw = draw_activation}};
  op.outputs = {{.name = "y", .doc = "as x, the axis shorter"}};
  op.attrs = std::move(attrs);
  op.infer = [ranges_of](Shapes& shapes, const Attrs& given) {
    shapes["y"] = sliced_shape(ranges_of(shapes.at("x"), given));
  };
  op.forward = [ranges_of](Kernel& k, Io& io) {
    io.out("y", sliced(k, io["x"], ranges_of(io["x"].shape, io.attrs())));
  };
  op.backward = [ranges_of](Kernel& k, Io& io) {
    const Shape& x = io["x"].shape;
    io.out("dx", unsliced(k, io["dy"], x, ranges_of(x, io.attrs())));
  };
  return op;
}

Value padded(Kernel& k, const Value& x, const Shape& before, const Shape& after, double value) {
  const Shape strides = strides_of(x.shape);
  Shape shape = x.shape;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) shape[axis] += before[axis] + after[axis];
  return k.pick(x, shape,
                shared(for_each_index(shape,
                                      [&](const Shape& index) {
                                        std::int64_t at = 0;
                                        for (std::size_t axis = 0; axis < index.size(); ++axis) {
                                          const std::int64_t inside = index[axis] - before[axis];
                                          if (inside < 0 || inside >= x.shape[axis]) return std::int64_t{-1};
                                          at += inside * strides[axis];
                                        }
                                        return at;
                                      })),
                value);
}

Value repeated(Kernel& k, const Value& x, const Shape& shape) {
  if (x.shape == shape) return x;
  const Shape strides = strides_of(x.shape);
  const std::size_t lead = shape.size() - x.shape.size();
  return k.pick(x, shape,
                shared(for_each_index(shape,
                                      [&](const Shape& index) {
                                        std::int64_t at = 0;
                                        for (std::size_t axis = 0; axis < x.shape.size(); ++axis) {
                                          if (x.shape[axis] != 1) at += index[lead + axis] * strides[axis];
                                        }
                                        return at;
                                      })),
                0);
}

Value sum_to(Kernel& k, const Value& dy, const Shape& shape) {
  if (dy.shape == shape) return dy;
  const std::size_t lead = dy.shape.size() - shape.size();
  std::vector<int> axes;
  for (std::size_t axis = 0; axis < dy.shape.size(); ++axis) {
    const bool repeated_here = axis < lead || (shape[axis - lead] == 1 && dy.shape[axis] != 1);
    if (repeated_here) axes.push_back(static_cast<int>(axis));
  }
  return k.reshape(axes.empty() ? dy : k.sum(dy, axes), shape);
}

Value scatter_sum(Kernel& k, const Value& y, const Shape& shape, const std::vector<std::int64_t>& to) {
  const auto n = static_cast<std::size_t>(element_count(shape));
  std::vector<std::int64_t> count(n, 0);
  std::int64_t most = 1;
  for (const std::int64_t target : to) {
    if (target >= 0) most = std::max(most, ++count[static_cast<std::size_t>(target)]);
  }
  std::vector<std::int64_t> from(n * static_cast<std::size_t>(most), -1);
  std::fill(count.begin(), count.end(), 0);
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i] < 0) continue;
    const std::int64_t slot = count[static_cast<std::size_t>(to[i])]++;
    from[static_cast<std::size_t>(to[i] * most + slot)] = static_cast<std::int64_t>(i);
  }
  Shape wide = shape;
  wide.push_back(most);
  const Value addends = k.pick(y, wide, shared(std::move(from)), 0);
  return k.reshape(most == 1 ? addends : k.sum(addends, {static_cast<int>(shape.size())}), shape);
}

}  // namespace fusecheck::family
