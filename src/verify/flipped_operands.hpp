// An element of a stored operand that another order rounds to its other neighbour moves every output that reads it: one
// slice of the tensor, which no statistic of independent elements foresees.
#pragma once

#include <span>

#include "fusecheck/shape.hpp"

namespace fusecheck::verify {

// How far Σ `squares` over the largest slice along one axis exceeds twice the average of its slices, of the axes of at
// least 16 that where it is most; 0 where none does: an error that is everywhere is no lump. `squares`: one for each
// element.
double largest_lump(const Shape& shape, std::span<const double> squares);

}  // namespace fusecheck::verify
