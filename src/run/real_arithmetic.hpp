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
  bool exact_quotients = true;  // a quotient or root that f32 holds is not rounded (N12)
};

struct Shaped {
  const Real& real;
  const Shape& shape;
};

// How much of an interval's width one f32 rounding added is looked at on some thousand elements: every n-th, an odd n,
// so that it is not the length of a row.
std::size_t sampled_every(std::size_t elements);
// Adds half the width of one interval, and the share of it that one rounding explains.
void add_width(double low, double high, double& all, double& added);
// A calibrated share of two operands after a rounding. One rounding errs by a quarter of a unit in the last place on
// average, about 0.36·u·|v|, and all elements of a channel may share the rounding of one factor: taken as half.
double mixed_share(double all_widths, double added_widths, double a, double b);
// 2^-53·|v| against at least 2^-24·|v|, twice over: what one operation adds to Real::f64_share.
inline constexpr double elementwise_f64_share = 0x1p-28;

Real apply(Unary op, const Real& x, const ArithmeticOptions& options);
Real apply(Binary op, const Shaped& a, const Shaped& b, const ArithmeticOptions& options);

}  // namespace fusecheck::run
