// Elementwise interval arithmetic: the result of one correctly rounded f32 operation, or of a kernel that fuses it with
// the next and skips the rounding (N4).
#pragma once

#include "engine/contraction.hpp"
#include "fusecheck/op.hpp"
#include "run/real.hpp"

namespace fusecheck::run {

struct ArithmeticOptions {
  bool intervals = true;
  bool magnitudes = false;  // carry Σ|terms|
  engine::Simd simd = engine::Simd::automatic;
};

struct Shaped {
  const Real& real;
  const Shape& shape;
};

Real apply(Unary op, const Real& x, const ArithmeticOptions& options);
Real apply(Binary op, const Shaped& a, const Shaped& b, const ArithmeticOptions& options);

}  // namespace fusecheck::run
