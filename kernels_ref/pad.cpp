// pad:  y = x with `before` and `after` elements of `value` around it      dx = dy without them
//
// before and after speak of the last axes, as many as they have numbers; the axes in front stay as they are.
//
// Example (before = 1, after = 2, value = 9): x = [1, 2], dy = [3, 4, 5, 6, 7]  ->  y = [9, 1, 2, 9, 9], dx = [4, 5].
#include "family/draw.hpp"
#include "family/move.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

// One number for each axis of x, 0 in front.
Shape amounts(const Shape& x, const Attrs& attrs, const char* name) {
  const std::vector<double>& given = attrs.list(name);
  if (given.size() > x.size()) {
    usage_error("pad: " + std::string(name) + " has " + std::to_string(given.size()) + " numbers, x = " + to_text(x) +
                " has rank " + std::to_string(x.size()) + "; give at most one for each axis");
  }
  Shape all(x.size(), 0);
  for (std::size_t i = 0; i < given.size(); ++i) {
    all[x.size() - given.size() + i] = static_cast<std::int64_t>(given[i]);
  }
  return all;
}

AttrSpec amount(const char* name, double fallback, const char* doc) {
  return {.name = name, .fallback = {fallback}, .doc = doc, .high = 1 << 20, .counts = {1, 2, 3, 4, 5, 6, 7, 8}};
}

}  // namespace

OpDef pad() {
  OpDef op;
  op.name = "pad";
  op.formula = "y = x with elements of one value around it";
  op.inputs = {{.name = "x", .doc = "any shape of rank 1 or more", .draw = family::draw_activation}};
  op.outputs = {{.name = "y", .doc = "as x, longer along the padded axes"}};
  op.attrs = {amount("before", 1, "elements in front, for each of the last axes"),
              amount("after", 2, "elements behind, for each of the last axes"),
              {.name = "value", .fallback = {0}, .doc = "of the new elements", .low = -1e18, .whole = false}};
  op.infer = [](Shapes& shapes, const Attrs& attrs) {
    Shape y = shapes.at("x");
    const Shape before = amounts(y, attrs, "before"), after = amounts(y, attrs, "after");
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += before[i] + after[i];
    shapes["y"] = y;
  };
  op.forward = [](Kernel& k, Io& io) {
    const Shape& x = io["x"].shape;
    io.out("y", family::padded(k, io["x"], amounts(x, io.attrs(), "before"), amounts(x, io.attrs(), "after"),
                               io.attrs().number("value")));
  };
  op.backward = [](Kernel& k, Io& io) {
    const Shape& x = io["x"].shape;
    const Shape before = amounts(x, io.attrs(), "before");
    std::vector<family::Range> inside;
    for (std::size_t i = 0; i < x.size(); ++i) inside.push_back({before[i], before[i] + x[i], 1});
    io.out("dx", family::sliced(k, io["dy"], inside));
  };
  return op;
}

}  // namespace fusecheck::ops
