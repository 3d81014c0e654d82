// Functions on intervals, and what a legal device may err by (NUMERICS.md N12).
#pragma once

#include "fusecheck/functions.hpp"
#include "run/real.hpp"
#include "run/real_arithmetic.hpp"

namespace fusecheck::run {

// A legal f32 evaluation of f(x) is off by at most u·(relative·|f(x)| + absolute + by_argument·|x|), u = 2^-24.
struct FunctionError {
  double relative = 0, absolute = 0, by_argument = 0;
};
FunctionError legal_error(Function f);

Real apply(Function f, const Real& x, const ArithmeticOptions& options);

}  // namespace fusecheck::run
