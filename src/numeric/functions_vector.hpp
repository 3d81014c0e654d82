// What the f64 functions are made of, on vectors of doubles (GNU vector types): no branch and no table, so that every
// lane of every width does the same operations and gives the same bits. N11.
//
// Compiled once for each instruction set: templates over the vector type only, and no inline function of the standard
// library at run time. Error bounds are relative, u = 2^-53.
#pragma once

#include <cstdint>

#include "numeric/functions_coefficients.hpp"

namespace fusecheck::numeric {

template <typename D>
using Integers = decltype(D{} < D{});  // signed, of the same size; also what a comparison gives

template <typename D>
Integers<D> bits(D x) {
  return __builtin_bit_cast(Integers<D>, x);
}
template <typename D>
D value(Integers<D> x) {
  return __builtin_bit_cast(D, x);
}

template <typename D>
D magnitude(D x) {
  return value<D>(bits(x) & INT64_MAX);
}
template <typename D>
D copy_sign(D magnitude_of, D sign_of) {
  return value<D>((bits(magnitude_of) & INT64_MAX) | (bits(sign_of) & INT64_MIN));
}
template <typename D>
D select(Integers<D> condition, D yes, D no) {
  return value<D>((bits(yes) & condition) | (bits(no) & ~condition));
}
template <typename D>
D broadcast(double x) {
  return D{} + x;
}

// NaN stays NaN.
template <typename D>
D at_most(D x, double limit) {
  return select(x > limit, broadcast<D>(limit), x);
}
template <typename D>
D at_least(D x, double limit) {
  return select(x < limit, broadcast<D>(limit), x);
}

template <typename D, int n>
D polynomial(const double (&coefficients)[n], D x) {
  D y = broadcast<D>(coefficients[n - 1]);
  for (int i = n - 2; i >= 0; --i) y = y * x + coefficients[i];
  return y;
}

// An unevaluated sum; |low| <= u·|high|.
template <typename D>
struct Pair {
  D high, low;
};

// Exact (Knuth 1969).
template <typename D>
Pair<D> two_sum(D a, D b) {
  const D s = a + b;
  const D part = s - a;
  return {s, (a - (s - part)) + (b - part)};
}

// Exact (Dekker 1971, with Veltkamp's splitting) while |a|, |b| < 2^996 and no partial product is subnormal.
template <typename D>
Pair<D> two_product(D a, D b) {
  const D wide_a = a * 0x1.0000002p27, wide_b = b * 0x1.0000002p27;
  const D a1 = wide_a - (wide_a - a), b1 = wide_b - (wide_b - b);
  const D a2 = a - a1, b2 = b - b1;
  const D p = a * b;
  return {p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

// e^x = 2^k·(1 + q) with |q| <= √2 - 1 and an integer k.
template <typename D>
struct Exponential {
  D q, k;
};

// 1.5·2^52: adding it leaves the nearest integer in the low bits of the significand.
inline constexpr double integer_shift = 0x1.8p52;

// e^(x + tail), |tail| <= 2^-40; beyond ±800 as at ±800. q errs by 2.2u·|q|: 1 for the last sum; r²·P by 4.2u, but it
// is at most a fifth of r; 0.4 for what `lost` lacks, its product with e^r - 1.
template <typename D>
Exponential<D> exponential(D unbounded, D tail) {
  const D x = at_most(at_least(unbounded, -800), 800);
  const D k = (x * 0x1.71547652b82fep+0 + integer_shift) - integer_shift;
  // log(2) in two parts, the first of 33 bits: k times it is exact, and so is the difference.
  const D high = x - k * 0x1.62e42fefp-1;
  const D low = tail - k * 0x1.473de6af278edp-34;
  const D r = high + low;
  const D lost = (high - r) + low;
  return {r + (lost + r * r * polynomial(expm1_rest, r)), k};
}

// x·2^k for an integer |k| <= 1200, rounded once.
template <typename D>
D scale(D x, D k) {
  // In two factors beyond ±900; the first product is exact there unless x itself is far from 1.
  const D steps = select(k > 900, broadcast<D>(-512), select(k < -900, broadcast<D>(512), D{}));
  const D rest = select(k > 900, broadcast<D>(0x1p512), select(k < -900, broadcast<D>(0x1p-512), broadcast<D>(1)));
  const D power = value<D>(bits((k + steps) + (integer_shift + 1023)) << 52);
  return (x * power) * rest;
}

// 2^k·(1 + q).
template <typename D>
D scaled(const Exponential<D>& e) {
  return scale(e.q + 1, e.k);
}

}  // namespace fusecheck::numeric
