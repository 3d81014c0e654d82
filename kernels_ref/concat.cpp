// concat:  y = x1, x2, x3, x4 one behind the other along an axis; x3 and x4 may be left out      dx1 .. dx4 = their
// parts of dy
//
// Example (axis = 1): x1 = [[1, 2]], x2 = [[3]], dy = [[4, 5, 6]]  ->  y = [[1, 2, 3]], dx1 = [[4, 5]], dx2 = [[6]].
//
// Without shapes, each part is one longer than the one before: an offset that is wrong shows.
#include "family/draw.hpp"
#include "family/move.hpp"
#include "family/reduce.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

const std::vector<std::string>& names() {
  static const std::vector<std::string> all = {"x1", "x2", "x3", "x4"};
  return all;
}

std::size_t axis_of(const Attrs& attrs, const Shape& x1) {
  return static_cast<std::size_t>(family::axes_of(attrs, "axis", x1.size()).at(0));
}

void infer(Shapes& shapes, const Attrs& attrs) {
  Shape y = shapes.at("x1");
  const std::size_t axis = axis_of(attrs, y);
  Shape next = y;
  for (std::size_t i = 1; i < names().size(); ++i) {
    const std::string& name = names()[i];
    if (shapes.contains(name + "?")) continue;
    ++next[axis];
    const Shape& part = shapes.try_emplace(name, next).first->second;
    Shape same = shapes.at("x1");
    if (part.size() == same.size()) same[axis] = part[axis];
    if (part != same) {
      usage_error("concat: " + name + " is " + to_text(part) + " and x1 is " + to_text(shapes.at("x1")) +
                  "; they may differ along axis " + std::to_string(axis) + " only");
    }
    y[axis] += part[axis];
  }
  shapes["y"] = y;
}

void forward(Kernel& k, Io& io) {
  std::vector<Value> parts;
  for (const std::string& name : names()) {
    if (io.given(name)) parts.push_back(io[name]);
  }
  io.out("y", k.join(parts, static_cast<int>(axis_of(io.attrs(), io["x1"].shape))));
}

void backward(Kernel& k, Io& io) {
  const Value& dy = io["dy"];
  const std::size_t axis = axis_of(io.attrs(), io["x1"].shape);
  std::int64_t begin = 0;
  for (const std::string& name : names()) {
    if (!io.given(name)) continue;
    const std::int64_t length = io[name].shape[axis];
    io.out("d" + name, family::sliced(k, dy, family::range_along(dy.shape, axis, {begin, begin + length, 1})));
    begin += length;
  }
}

}  // namespace

OpDef concat() {
  OpDef op;
  op.name = "concat";
  op.formula = "y = x1, x2, x3, x4 along an axis";
  for (const std::string& name : names()) {
    op.inputs.push_back({.name = name,
                         .doc = name == "x1" ? "any shape of rank 1 or more" : "as x1, but for the axis",
                         .draw = family::draw_activation,
                         .optional = name == "x3" || name == "x4"});
  }
  op.outputs = {{.name = "y", .doc = "as x1, the axis as long as all parts together"}};
  op.attrs = {
      {.name = "axis", .fallback = {1}, .doc = "along which the parts follow each other", .low = -8, .high = 7}};
  op.infer = infer;
  op.forward = forward;
  op.backward = backward;
  return op;
}

}  // namespace fusecheck::ops
