#include "numeric/binary64.hpp"
#include "numeric/functions_accurate.hpp"

namespace fusecheck::numeric {
namespace {

constexpr Number two_over_root_pi = {0x1.20dd750429b6dp+0, 0x1.1ae3a914fed8p-56};
constexpr Number one_over_root_two_pi = {0x1.9884533d43651p-2, -0x1.cbc0d30ebfd15p-56};

// a·Σ z^n/(1·3·5···(2n + 1)), all terms positive (Abramowitz and Stegun 7.1.6 and 26.2.11).
Number odd_factorial_series(double a, Number z) {
  Number term = number(a), sum = term;
  for (int n = 1; absolute(term.high) > absolute(sum.high) * 0x1p-112; ++n) {
    term = divide(multiply(term, z), 2.0 * n + 1);
    sum = add(sum, term);
  }
  return sum;
}

Number square(double x) { return two_product(x, x); }

// Φ(-a)/φ(a) = 1/(a + 1/(a + 2/(a + 3/(a + ...)))) (Abramowitz and Stegun 26.2.14), from the back. n levels leave a
// relative error near e^(-2a√n) (measured): 2^-112 where a√n >= 39, or n >= 20 and a >= 8.
Number mills_ratio(double a) {
  const int levels = 20 + static_cast<int>(1700 / (a * a));
  Number tail = number(a);
  for (int n = levels; n >= 1; --n) tail = add(divide(static_cast<double>(n), tail), a);
  return divide(1, tail);
}

}  // namespace

// 1 - erf(8) < 2^-96.
Number erf_of(double x) {
  if (absolute(x) > 8) return number(with_sign(1, is_negative(x)));
  return multiply(erf_derivative_of(x), odd_factorial_series(x, multiply(square(x), 2)));
}

Number erf_derivative_of(double x) { return multiply(exp_of(negate(square(x))), two_over_root_pi); }

Number normal_density(double x) { return multiply(exp_of(multiply(square(x), -0.5)), one_over_root_two_pi); }

// Below -5/4 by the tail, so that no difference loses more than two bits; from 6 on 1 - Φ(-x).
Number normal_cdf(double x) {
  if (x < -1.25) return multiply(normal_density(x), mills_ratio(-x));
  if (x > 6) return subtract(number(1), normal_cdf(-x));
  return add(multiply(normal_density(x), odd_factorial_series(x, square(x))), 0.5);
}

}  // namespace fusecheck::numeric
