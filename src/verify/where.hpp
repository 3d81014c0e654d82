// Where bad elements are, in words.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fusecheck/judge.hpp"

namespace fusecheck::verify {

// Names of the axes: `given`, or by rank c | n,c | n,c,w | n,c,h,w | n,c,d,h,w, else d0, d1 ... Internal error: `given`
// is neither empty nor one name per axis.
std::vector<std::string> axis_names(const Shape& shape, std::span<const std::string> given);

// `bad`: flat positions, ascending. At most five lines, the most telling first: that is the pattern that covers the
// smallest share of the tensor. A pattern is told only if as many elements strewn at random had a chance under 1e-3
// to form one like it. One bad element is named.
Where find_where(const Shape& shape, std::span<const std::int64_t> bad, std::span<const std::string> axes);

// "tiles of 16x16: bad in 4 of 16, [0,3] [1,3] [2,3] [3,3]": which tiles of the last axes hold bad elements, whatever
// the other axes; "" where there is no tile, nothing is bad, or every tile is. A tile of
// more axes than the tensor has does not apply to it.
std::string tiles_text(const Shape& shape, std::span<const std::int64_t> bad, const Shape& tile);

// "n=0,c=3,h=1,w=2"
std::string place_text(std::span<const std::int64_t> index, std::span<const std::string> axes);

}  // namespace fusecheck::verify
