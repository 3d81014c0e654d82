// Double-double arithmetic (Dekker 1971; Joldes, Muller and Popescu 2017 bound it): a value is high + low with
// |low| <= u·|high|. Each operation errs by at most a few 2^-106, relative to its result; a difference of near values,
// relative to its operands. Far from overflow and underflow.
#pragma once

#include "numeric/functions_vector.hpp"

namespace fusecheck::numeric {

using Number = Pair<double>;

inline Number number(double x) { return {x, 0}; }
inline Number negate(Number a) { return {-a.high, -a.low}; }

// Exact for |a| >= |b| or a = 0.
inline Number renormalize(double a, double b) {
  const double s = a + b;
  return {s, b - (s - a)};
}

inline Number add(Number a, Number b) {
  const Number high = two_sum(a.high, b.high);
  const Number low = two_sum(a.low, b.low);
  const Number sum = renormalize(high.high, high.low + low.high);
  return renormalize(sum.high, sum.low + low.low);
}
inline Number add(Number a, double b) { return add(a, number(b)); }
inline Number subtract(Number a, Number b) { return add(a, negate(b)); }

inline Number multiply(Number a, Number b) {
  const Number product = two_product(a.high, b.high);
  return renormalize(product.high, product.low + (a.high * b.low + a.low * b.high));
}
inline Number multiply(Number a, double b) { return multiply(a, number(b)); }

// Three quotients, each from the exact remainder of the ones before to within double-double.
inline Number divide(Number a, Number b) {
  const double first = a.high / b.high;
  const Number rest = subtract(a, multiply(b, first));
  const double second = rest.high / b.high;
  const double third = subtract(rest, multiply(b, second)).high / b.high;
  return add(renormalize(first, second), third);
}
inline Number divide(Number a, double b) { return divide(a, number(b)); }
inline Number divide(double a, Number b) { return divide(number(a), b); }

}  // namespace fusecheck::numeric
