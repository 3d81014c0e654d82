// Moving elements: each is one Kernel::pick, and its gradient the pick the other way, or a sum of several.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fusecheck/op.hpp"

namespace fusecheck::family {

// y[i] = x[i permuted]: axis j of y is axis `order[j]` of x.
Value transposed(Kernel& k, const Value& x, const std::vector<int>& order);
// The last two axes swapped.
Value swapped(Kernel& k, const Value& x);

// Elements begin, begin + step ... below end of every axis.
struct Range {
  std::int64_t begin = 0, end = 0, step = 1;
};
// The range along one axis, all of the others.
std::vector<Range> range_along(const Shape& shape, std::size_t axis, const Range& range);
Shape sliced_shape(const std::vector<Range>& ranges);
Value sliced(Kernel& k, const Value& x, const std::vector<Range>& ranges);
// The gradient of `sliced`: dy at its place in a tensor of x's shape, 0 elsewhere.
Value unsliced(Kernel& k, const Value& dy, const Shape& x, const std::vector<Range>& ranges);

// y = the ranges of x that the attributes say, dx = dy at its place: slice, split.
OpDef slicing_op(std::string name, std::string formula, std::vector<AttrSpec> attrs,
                 std::vector<Range> (*ranges_of)(const Shape& x, const Attrs&));

// x with `before` and `after` elements of `value` added at each axis.
Value padded(Kernel& k, const Value& x, const Shape& before, const Shape& after, double value);

// x repeated to a shape by numpy's rules.
Value repeated(Kernel& k, const Value& x, const Shape& shape);
// The gradient of a broadcast: Σ over the axes along which `shape` was repeated.
Value sum_to(Kernel& k, const Value& dy, const Shape& shape);

// out[to[i]] += y[i] for every i with to[i] >= 0; elements that nothing reaches are 0. Addends meet in ascending i.
Value scatter_sum(Kernel& k, const Value& y, const Shape& shape, const std::vector<std::int64_t>& to);

// Row-major strides.
Shape strides_of(const Shape& shape);

}  // namespace fusecheck::family
