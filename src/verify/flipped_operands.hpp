// An element of a stored operand that another order rounds to its other neighbour moves every output that reads it: one
// slice of the tensor, which no statistic of independent elements foresees.
#pragma once

#include <span>

#include "fusecheck/shape.hpp"

namespace fusecheck::verify {

// Σ `squares` over the largest slices along one axis, that axis where it is most: one slice of 16 to 31, two of 32 to
// 47, three of more; 0 where every axis is shorter. `squares`: one for each element.
double largest_slices(const Shape& shape, std::span<const double> squares);

}  // namespace fusecheck::verify
