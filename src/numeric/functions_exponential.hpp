// exp, log and what one exponential gives (N11).
#pragma once

#include "numeric/functions_coefficients.hpp"
#include "numeric/functions_vector.hpp"

namespace fusecheck::numeric {

template <typename D>
D exp_of(D x) {
  return scaled(exponential(x, D{}));
}

// 2^k·(1 + q) - 1 = (2^k - 1) + 2^k·q; both terms are exact or nearly so, and |sum| >= 0.29 unless k = 0.
template <typename D>
D expm1_of(D x) {
  const auto e = exponential(x, D{});
  const D power = scale(broadcast<D>(1), e.k);
  const D near = (power - 1) + power * e.q;
  return copy_sign(select(e.k > 60, scaled(e), near), x);
}

// x = 2^k·m, √½ <= m < √2; log(m) = 2·atanh(s), s = (m - 1)/(m + 1) = f/(2 + f). As 2s = f - s·f,
// log(m) = f - (s·f - s³·R(s²)), where s·f is at most a fifth of f. The remainder of f²/2 goes with it.
template <typename D>
D log_of(D x) {
  const auto subnormal = x < 0x1p-1022;
  const D normal = select(subnormal, x * 0x1p54, x);
  constexpr std::int64_t root = 0x3fe6a09e667f3bcd;  // √½
  constexpr std::int64_t one = 0x3ff0000000000000;
  const auto shifted = bits(normal) + (one - root);
  const D m = value<D>((shifted & 0x000fffffffffffff) + root);
  // The biased exponent, as an integer in the last bits of 2^52.
  const D biased = value<D>(((shifted >> 52) & 0x7ff) | 0x4330000000000000);
  const D k = biased - select(subnormal, broadcast<D>(0x1p52 + 1023 + 54), broadcast<D>(0x1p52 + 1023));
  const D f = m - 1;
  const D s = f / (f + 2);
  const D z = s * s;
  const D half_square = 0.5 * f * f;
  // 2s = f - f²/2 + s·f²/2, so that log(m) = f - (f²/2 - s·(f²/2 + z·R)).
  const D rest = half_square - (s * (half_square + z * polynomial(log_rest, z)) + k * 0x1.473de6af278edp-34);
  const D finite = k * 0x1.62e42fefp-1 - (rest - f);
  constexpr double infinite = __builtin_inf();
  const D positive = select(x < infinite, finite, x);  // +Inf and NaN are themselves
  return select(x == 0, broadcast<D>(-infinite), select(x < 0, broadcast<D>(__builtin_nan("")), positive));
}

// log(1 + v), 0 <= v <= 1, as 2·atanh(v/(2 + v)).
template <typename D>
D log1p_of_unit(D v) {
  const D s = v / (v + 2);
  const D z = s * s;
  return 2 * s + s * z * polynomial(log1p_rest, z);
}

// (1 - e)/(1 + e), e = e^(-2|x|); 1 - e as in expm1.
template <typename D>
D tanh_of(D x) {
  const auto e = exponential(magnitude(x) * -2, D{});
  const D power = scale(broadcast<D>(1), e.k);
  const D n = (1 - power) - power * e.q;
  return copy_sign(n / (2 - n), x);
}

template <typename D>
D tanh_derivative_of(D x) {  // 4e/(1 + e)²
  const auto e = exponential(magnitude(x) * -2, D{});
  const D sum = scaled(e) + 1;
  return scale(4 * (e.q + 1) / (sum * sum), e.k);
}

template <typename D>
D sigmoid_of(D x) {  // 1/(1 + e) or e/(1 + e), e = e^-|x|
  const D e = exp_of(-magnitude(x));
  return select(x < 0, e, broadcast<D>(1)) / (e + 1);
}

template <typename D>
D sigmoid_derivative_of(D x) {  // e/(1 + e)²
  const auto e = exponential(-magnitude(x), D{});
  const D sum = scaled(e) + 1;
  return scale((e.q + 1) / (sum * sum), e.k);
}

template <typename D>
D softplus_of(D x) {  // max(x, 0) + log(1 + e^-|x|)
  return at_least(x, 0) + log1p_of_unit(exp_of(-magnitude(x)));
}

}  // namespace fusecheck::numeric
