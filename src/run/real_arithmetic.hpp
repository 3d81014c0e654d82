// Elementwise interval arithmetic: the result of one correctly rounded f32 operation, or of a kernel that fuses it with
// the next and skips the rounding (N4).
#pragma once

#include "fusecheck/op.hpp"
#include "run/real.hpp"

namespace fusecheck::run {

Real apply(Unary op, const Real& x, bool intervals);
Real apply(Binary op, const Real& a, const Real& b, bool intervals, bool magnitudes);  // equal sizes

}  // namespace fusecheck::run
