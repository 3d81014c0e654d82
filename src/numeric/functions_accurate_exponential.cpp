#include "numeric/binary64.hpp"
#include "numeric/functions_accurate.hpp"

namespace fusecheck::numeric {
namespace {

// log(2) = 33 bits + 53 bits + 53 bits, so that an integer below 2^20 times the first is exact.
constexpr double log2_1 = 0x1.62e42fefp-1, log2_2 = 0x1.473de6af278edp-34, log2_3 = -0x1.9ff0342542fc3p-90;

Number times_log2(int k) {
  const Number rest = add(two_product(static_cast<double>(k), log2_2), static_cast<double>(k) * log2_3);
  return add(rest, static_cast<double>(k) * log2_1);
}

Number scaled(Number x, int k) { return {x.high * power_of_two(k), x.low * power_of_two(k)}; }

// 2·atanh(s) = 2s·Σ s^2n/(2n + 1), |s| <= 1/3: (1/9)^35 < 2^-110.
Number twice_atanh(Number s) {
  const Number z = multiply(s, s);
  Number sum = number(0);
  for (int n = 35; n >= 0; --n) sum = add(multiply(sum, z), divide(number(1), 2.0 * n + 1));
  return multiply(multiply(s, sum), 2);
}

}  // namespace

// Taylor's series in Horner's form, 1 + r/2·(1 + r/3·(...)), of |r| <= 0.35: 0.35^28/29! < 2^-140. Beyond ±700 as
// there.
NumberExponential exponential_of(Number x) {
  const Number bounded = absolute(x.high) > 700 ? number(with_sign(700, is_negative(x.high))) : x;
  const double k = (bounded.high * 0x1.71547652b82fep+0 + integer_shift) - integer_shift;
  const Number r = subtract(bounded, times_log2(static_cast<int>(k)));
  Number p = number(1);
  for (int n = 28; n >= 2; --n) p = add(divide(multiply(p, r), n), 1);
  return {multiply(p, r), static_cast<int>(k)};
}

Number exp_of(Number x) {
  const NumberExponential e = exponential_of(x);
  return scaled(add(e.q, 1), e.k);
}

Number expm1_of(Number x) {
  const NumberExponential e = exponential_of(x);
  return e.k == 0 ? e.q : add(exp_of(x), -1);
}

// As in log_of of functions_exponential.hpp.
Number log_of(double x) {
  auto [significand, k] = decompose(x);
  double m = static_cast<double>(significand) * 0x1p-52;
  if (m > 0x1.6a09e667f3bcdp+0) {  // √2
    m /= 2;
    ++k;
  }
  const double f = m - 1;
  return add(twice_atanh(divide(number(f), two_sum(f, 2.0))), times_log2(k));
}

Number log1p_of_unit(Number v) { return twice_atanh(divide(v, add(v, 2))); }

}  // namespace fusecheck::numeric
