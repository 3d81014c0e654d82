// Gated linear units: x = (left, right) halves along the last axis, y = f(gate)·(the other half).
#pragma once

#include <functional>

#include "fusecheck/op.hpp"

namespace fusecheck::family {

// The kernel in f32 with one rounding at the end; `gate` 0: the left half goes through f, 1: the right one.
Recipe gated_recipe(int gate, std::function<Function(const Attrs&)> f,
                    std::function<Function(const Attrs&)> derivative);

}  // namespace fusecheck::family
