#include "numeric/functions_accurate.hpp"

#include <array>

#include "numeric/binary64.hpp"

namespace fusecheck::numeric {
namespace {

// Every formula below is a few dozen operations of double-double, the terms of series counted as they weigh: some 2^-96
// of the sum of the magnitudes of its terms. The tests measure 2^-96 (erf near 6) and less.
constexpr double unit = 0x1p-90;
Accurate relative(Number value) { return {value, unit * absolute(value.high)}; }
// Near its zero a derivative is the difference of terms below 1.
Accurate near_zero(Number value) { return {value, unit * (absolute(value.high) + 1)}; }

// x/2 + c·x² + O(x³) for |x| < 2^-60: x/2 may lie on a tie of the format, and c·x² > 0 says on which side. No double
// holds both, but two do.
Accurate half_and_square(double x, double c) { return {{x / 2, c * (x * x)}, 0x1p-40 * (x * x)}; }
bool is_tiny(double x) { return absolute(x) < 0x1p-60; }

// e^-|x| and its sum with 1.
struct Gate {
  Number e, sum;
};
Gate gate(Number magnitude) {
  const Number e = exp_of(negate(magnitude));
  return {e, add(e, 1)};
}
Number sigmoid(double sign, Number magnitude) {
  const auto [e, sum] = gate(magnitude);
  return divide(sign < 0 ? e : number(1), sum);
}
// σ(g) + w·σ(g)·(1 - σ(g)), |g| and |w| given, both with the sign of x.
Number sigmoid_and_slope(double x, Number magnitude, Number w) {
  const auto [e, sum] = gate(magnitude);
  const Number square = multiply(sum, sum);
  return x < 0 ? divide(multiply(e, subtract(sum, w)), square) : divide(add(sum, multiply(w, e)), square);
}

constexpr Number kappa = {0x1.6e4e26d4801f7p-5, 0x1.441355475a31ap-59};     // 0.044715
constexpr Number slope_0 = {0x1.9884533d43651p+0, -0x1.cbc0d30ebfd15p-54};  // 2·√(2/π)
// |2y| of gelu_tanh for factor 1, |x|·d(2y)/dx for factor 3.
Number gelu_tanh_argument(double x, double factor) {
  const Number cubic = multiply(multiply(two_product(x, x), kappa), factor);
  return multiply(multiply(add(cubic, 1), slope_0), absolute(x));
}

Accurate exp_value(double x) { return relative(exp_of(number(x))); }
Accurate expm1_value(double x) { return relative(expm1_of(number(x))); }
Accurate log_value(double x) { return relative(log_of(x)); }
Accurate erf_value(double x) { return relative(erf_of(x)); }
Accurate erf_derivative_value(double x) { return relative(erf_derivative_of(x)); }

Accurate tanh_value(double x) {
  const Number n = negate(expm1_of(number(-2 * absolute(x))));
  const Number y = divide(n, subtract(number(2), n));
  return relative(x < 0 ? negate(y) : y);
}
Accurate tanh_derivative_value(double x) {
  const auto [e, sum] = gate(number(2 * absolute(x)));
  return relative(divide(multiply(e, 4), multiply(sum, sum)));
}

Accurate sigmoid_value(double x) { return relative(sigmoid(x, number(absolute(x)))); }
Accurate sigmoid_derivative_value(double x) {
  const auto [e, sum] = gate(number(absolute(x)));
  return relative(divide(e, multiply(sum, sum)));
}

// One step of Newton's method from the f64 value: the error of 2^-52 is squared.
Accurate sqrt_value(double x) {
  const double y = __builtin_sqrt(x);
  return relative(renormalize(y, subtract(number(x), two_product(y, y)).high / (2 * y)));
}
Accurate rsqrt_value(double x) {
  const double y = 1 / __builtin_sqrt(x);
  const Number rest = subtract(number(1), multiply(two_product(y, y), x));
  return relative(renormalize(y, 0.5 * y * rest.high));
}

Accurate gelu_value(double x) {
  if (is_tiny(x)) return half_and_square(x, 0x1.9884533d43651p-2);  // φ(0)
  return relative(multiply(normal_cdf(x), x));
}
Accurate gelu_derivative_value(double x) { return near_zero(add(normal_cdf(x), multiply(normal_density(x), x))); }

Accurate gelu_tanh_value(double x) {
  if (is_tiny(x)) return half_and_square(x, 0x1.9884533d43651p-2);  // c0/4 = 1/√(2π)
  return relative(multiply(sigmoid(x, gelu_tanh_argument(x, 1)), x));
}
Accurate gelu_tanh_derivative_value(double x) {
  return near_zero(sigmoid_and_slope(x, gelu_tanh_argument(x, 1), gelu_tanh_argument(x, 3)));
}

Accurate silu_value(double x) {
  if (is_tiny(x)) return half_and_square(x, 0.25);
  return relative(multiply(sigmoid(x, number(absolute(x))), x));
}
Accurate silu_derivative_value(double x) {
  return near_zero(sigmoid_and_slope(x, number(absolute(x)), number(absolute(x))));
}

Accurate softplus_value(double x) {
  const Number rest = log1p_of_unit(exp_of(number(-absolute(x))));
  return relative(x > 0 ? add(rest, x) : rest);
}

// tanh(softplus(x)) = n/d as in functions_gates.hpp.
Accurate mish_value(double x) {
  const Number u = exp_of(number(-absolute(x)));
  const Number n = x < 0 ? multiply(u, add(u, 2)) : add(multiply(u, 2), 1);
  const Number d = x < 0 ? add(n, 2) : add(n, multiply(multiply(u, u), 2));
  return relative(multiply(divide(n, d), x));
}
// n/d + x·(n/d)', (n/d)' = 4u(u + 1)/d² for x < 0, 4v²(v + 1)/d² for x >= 0.
Accurate mish_derivative_value(double x) {
  const Number u = exp_of(number(-absolute(x)));
  const Number n = x < 0 ? multiply(u, add(u, 2)) : add(multiply(u, 2), 1);
  const Number d = x < 0 ? add(n, 2) : add(n, multiply(multiply(u, u), 2));
  const Number slope = multiply(multiply(x < 0 ? u : multiply(u, u), add(u, 1)), 4 * x);
  return near_zero(divide(add(multiply(n, d), slope), multiply(d, d)));
}

// In the order of Function.
constexpr std::array<Accurate (*)(double), 20> values = {
    &exp_value,
    &expm1_value,
    &log_value,
    &tanh_value,
    &erf_value,
    &sigmoid_value,
    &sqrt_value,
    &rsqrt_value,
    &gelu_value,
    &gelu_tanh_value,
    &silu_value,
    &softplus_value,
    &mish_value,
    &tanh_derivative_value,
    &erf_derivative_value,
    &sigmoid_derivative_value,
    &gelu_derivative_value,
    &gelu_tanh_derivative_value,
    &silu_derivative_value,
    &mish_derivative_value,
};

}  // namespace

Accurate accurate(Function function, double x) { return values.at(static_cast<std::size_t>(function))(x); }

}  // namespace fusecheck::numeric
