// A channel's scale is rounded once, and every element of the channel shares that error: across a tensor the mean
// wanders with the number of channels, not of elements.
#pragma once

#include <span>
#include <string>

#include "fusecheck/shape.hpp"

namespace fusecheck::verify {

// How far the mean of `scaled` (one per element, 0 where nothing is known) may be from zero because indices of the
// first two axes share errors: Student's t of the means per index at 1e-7 two-sided, for the axis where it is larger.
// An axis of 2 to 7 channels is too short for that; there a channel may be wrong by `rms_limit` as a whole.
double shared_rounding_allowance(const Shape& shape, std::span<const std::string> axes, std::span<const float> scaled,
                                 double rms_limit);

}  // namespace fusecheck::verify
