// erf, gelu in its erf form, and their derivatives: all from Φ(-a) = e^(-a²/2)·G(a), a >= 0 (N11).
#pragma once

#include "numeric/functions_coefficients.hpp"
#include "numeric/functions_vector.hpp"

namespace fusecheck::numeric {

inline constexpr double root_2 = 0x1.6a09e667f3bcdp+0;            // √2
inline constexpr double two_over_root_pi = 0x1.20dd750429b6dp+0;  // 2/√π
inline constexpr double normal_density_0 = 0x1.9884533d43651p-2;  // 1/√(2π)

// G(a) = H(t)/(a + 4), t = (a - 4)/(a + 4). G falls like 1/a, so that a rounding of a costs no more than one of G.
template <typename D>
D scaled_normal_tail(D a) {
  const D reciprocal = 1 / (a + 4);
  return polynomial(normal_tail, (a - 4) * reciprocal) * reciprocal;
}

// e^(factor·a²), the square exact; 0 <= a <= 64, factor a power of two.
template <typename D>
Exponential<D> exponential_of_square(D a, double factor) {
  const Pair<D> square = two_product(a, a);
  return exponential(square.high * factor, square.low * factor);
}

// Beyond this e^(-a²/2) is 0 in f64, and so is everything that it multiplies.
template <typename D>
D bounded_magnitude(D x) {
  return at_most(magnitude(x), 64);
}

template <typename D>
D erf_of(D x) {
  const D a = bounded_magnitude(x);
  const D small = a + a * polynomial(erf_rest, a * a);
  const auto e = exponential_of_square(a, -1);
  const D complement = scale(2 * (e.q + 1) * scaled_normal_tail(a * root_2), e.k);
  return copy_sign(select(a < 0.75, small, 1 - complement), x);
}

template <typename D>
D erf_derivative_of(D x) {
  const auto e = exponential_of_square(bounded_magnitude(x), -1);
  return scale(two_over_root_pi * (e.q + 1), e.k);
}

template <typename D>
D gelu_of(D x) {
  const D a = bounded_magnitude(x);
  const auto e = exponential_of_square(a, -0.5);
  const D tail = (e.q + 1) * scaled_normal_tail(a);
  return select(x < 0, scale(-a * tail, e.k), x * (1 - scale(tail, e.k)));
}

// Φ(x) + x·φ(x), φ(x) = e^(-x²/2)/√(2π).
template <typename D>
D gelu_derivative_of(D x) {
  const D a = bounded_magnitude(x);
  const auto e = exponential_of_square(a, -0.5);
  const D tail = scale((e.q + 1) * (scaled_normal_tail(a) - a * normal_density_0), e.k);
  return select(x < 0, tail, 1 - tail);
}

}  // namespace fusecheck::numeric
