// slice:  y = elements begin, begin + step .. below end of x along an axis      dx = dy in its place, 0 elsewhere
//
// Negative begin and end count from the back, and an end beyond it stops there, as in Python.
//
// Example (axis = -1, begin = 1, end = 4, step = 2): x = [1, 2, 3, 4, 5], dy = [6, 7]
//   y = [2, 4], dx = [0, 6, 0, 7, 0].
#include <algorithm>

#include "family/move.hpp"
#include "family/reduce.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

std::vector<family::Range> ranges_of(const Shape& x, const Attrs& attrs) {
  const auto axis = static_cast<std::size_t>(family::axes_of(attrs, "axis", x.size()).at(0));
  const auto place = [&](const char* name) {
    const std::int64_t given = attrs.integer(name);
    return std::clamp<std::int64_t>(given < 0 ? given + x[axis] : given, 0, x[axis]);
  };
  return family::range_along(x, axis, {place("begin"), place("end"), attrs.integer("step")});
}

}  // namespace

OpDef slice() {
  return family::slicing_op(
      "slice", "y = x[begin:end:step] along an axis",
      {{.name = "axis", .fallback = {-1}, .doc = "that is cut", .low = -8, .high = 7},
       {.name = "begin", .fallback = {1}, .doc = "first element, negative from the back", .low = -1e9, .high = 1e9},
       {.name = "end",
        .fallback = {1 << 24},
        .doc = "behind the last, negative from the back",
        .low = -1e9,
        .high = 1e9},
       {.name = "step", .fallback = {1}, .doc = "from one to the next", .low = 1, .high = 1e9}},
      ranges_of);
}

}  // namespace fusecheck::ops
