// Dimensions of a tensor.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fusecheck {

using Shape = std::vector<std::int64_t>;
using Shapes = std::map<std::string, Shape, std::less<>>;

std::int64_t element_count(const Shape& shape);          // 1 for a scalar; usage error when it passes 2^40
std::string to_text(const Shape& shape);                 // "1x64x56x56", "scalar" for rank 0
Shape parse_shape(std::string_view text);                // "1,64,56,56" or "1x64x56x56"; usage error otherwise
std::vector<std::int64_t> index_of(std::int64_t flat, const Shape& shape);  // row-major position -> index
// The shape that numpy's broadcasting gives a and b; usage error where they do not fit.
Shape broadcast_shape(const Shape& a, const Shape& b);

}  // namespace fusecheck
