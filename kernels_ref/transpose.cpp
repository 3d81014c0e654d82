// transpose:  axis j of y is axis order[j] of x      dx = dy moved back
//
// Example (order = 1, 0): x = [[1, 2, 3], [4, 5, 6]]  ->  y = [[1, 4], [2, 5], [3, 6]].
#include <algorithm>
#include <numeric>

#include "family/draw.hpp"
#include "family/move.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

// The attribute, checked; -1 alone is all axes the other way round.
std::vector<int> order_of(const Shape& x, const Attrs& attrs) {
  std::vector<int> sorted(x.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  const std::vector<double>& given = attrs.list("order");
  if (given == std::vector<double>{-1}) return {sorted.rbegin(), sorted.rend()};
  const std::vector<int> order(given.begin(), given.end());
  std::vector<int> check = order;
  std::sort(check.begin(), check.end());
  if (check != sorted) {
    std::string text;
    for (const int axis : order) text += (text.empty() ? "" : ",") + std::to_string(axis);
    usage_error("transpose: order " + text + " for x = " + to_text(x) + ": every axis from 0 to " +
                std::to_string(static_cast<int>(x.size()) - 1) + " must come once");
  }
  return order;
}

}  // namespace

OpDef transpose() {
  OpDef op;
  op.name = "transpose";
  op.formula = "axis j of y is axis order[j] of x";
  op.inputs = {{.name = "x", .doc = "any shape", .draw = family::draw_activation}};
  op.outputs = {{.name = "y", .doc = "the numbers of x in that order"}};
  op.attrs = {{.name = "order",
               .fallback = {-1},
               .doc = "axes of x (-1: all, the other way round)",
               .low = -1,
               .high = 7,
               .counts = {1, 2, 3, 4, 5, 6, 7, 8}}};
  op.infer = [](Shapes& shapes, const Attrs& attrs) {
    const Shape& x = shapes.at("x");
    Shape y;
    for (const int axis : order_of(x, attrs)) y.push_back(x[static_cast<std::size_t>(axis)]);
    shapes["y"] = y;
  };
  op.forward = [](Kernel& k, Io& io) {
    io.out("y", family::transposed(k, io["x"], order_of(io["x"].shape, io.attrs())));
  };
  op.backward = [](Kernel& k, Io& io) {
    const std::vector<int> order = order_of(io["x"].shape, io.attrs());
    std::vector<int> back(order.size());
    for (std::size_t j = 0; j < order.size(); ++j) back[static_cast<std::size_t>(order[j])] = static_cast<int>(j);
    io.out("dx", family::transposed(k, io["dy"], back));
  };
  return op;
}

}  // namespace fusecheck::ops
