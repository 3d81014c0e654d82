// split:  y = part number `index` of `parts` equal parts of x along an axis      dx = dy in its place, 0 elsewhere
//
// One call gives one part; a body calls it once for each part that it uses.
//
// Example (axis = -1, parts = 2, index = 1): x = [1, 2, 3, 4], dy = [5, 6]  ->  y = [3, 4], dx = [0, 0, 5, 6].
#include "family/move.hpp"
#include "family/reduce.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

std::vector<family::Range> ranges_of(const Shape& x, const Attrs& attrs) {
  const auto axis = static_cast<std::size_t>(family::axes_of(attrs, "axis", x.size()).at(0));
  const std::int64_t parts = attrs.integer("parts"), index = attrs.integer("index");
  if (x[axis] % parts != 0 || index >= parts) {
    usage_error("split: part " + std::to_string(index) + " of " + std::to_string(parts) + " along axis " +
                std::to_string(axis) + " of " + to_text(x) +
                ": parts must divide the length, and index lie below parts");
  }
  const std::int64_t length = x[axis] / parts;
  return family::range_along(x, axis, {index * length, (index + 1) * length, 1});
}

}  // namespace

OpDef split() {
  return family::slicing_op("split", "y = one of the equal parts of x along an axis",
                            {{.name = "axis", .fallback = {-1}, .doc = "that is cut", .low = -8, .high = 7},
                             {.name = "parts", .fallback = {2}, .doc = "into how many", .low = 1, .high = 1 << 20},
                             {.name = "index", .fallback = {0}, .doc = "which one, from 0", .high = 1 << 20}},
                            ranges_of);
}

}  // namespace fusecheck::ops
