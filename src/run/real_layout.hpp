// Operations that move elements or choose among them, on intervals. Nothing is rounded.
#pragma once

#include <cstdint>
#include <vector>

#include "run/real.hpp"

namespace fusecheck::run {

Real largest_of(const Real& x, const SumLayout& layout);

// An element that every legal kernel takes for the first largest has [1, 1], one that some may take [0, 1].
Real first_largest_of(const Real& x, const SumLayout& layout);

Real picked_from(const Real& x, const std::vector<std::int64_t>& from, double fill);

Real joined_reals(const std::vector<const Real*>& parts, const std::vector<Shape>& shapes, int axis, bool magnitudes);

}  // namespace fusecheck::run
