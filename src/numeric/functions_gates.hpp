// Activations x·gate(x) whose gate is a rational function of one exponential, and their derivatives (N11).
#pragma once

#include "numeric/functions_vector.hpp"

namespace fusecheck::numeric {

// Beyond this every e^-|x| here is 0 in f64; keeps Inf·0 out.
template <typename D>
D gate_magnitude(D x) {
  return at_most(magnitude(x), 2000);
}

// x·σ(g), where e = e^-|g| and g has the sign of x; a = |x|, bounded.
template <typename D>
D times_sigmoid(D x, D a, const Exponential<D>& e) {
  const D sum = scaled(e) + 1;
  return select(x < 0, scale(-a * (e.q + 1) / sum, e.k), x / sum);
}

// σ(g) + w·σ(g)·(1 - σ(g)) with e as above, w = x·g'(x), |w| given. For g < 0: e·((1 + e) - |w|)/(1 + e)²; for g >= 0:
// ((1 + e) + |w|·e)/(1 + e)².
template <typename D>
D times_sigmoid_derivative(D x, D w, const Exponential<D>& e) {
  const D small = scaled(e);
  const D sum = small + 1;
  const D square = sum * sum;
  return select(x < 0, scale((e.q + 1) * (sum - w) / square, e.k), (sum + w * small) / square);
}

template <typename D>
D silu_of(D x) {
  const D a = gate_magnitude(x);
  return times_sigmoid(x, a, exponential(-a, D{}));
}

template <typename D>
D silu_derivative_of(D x) {
  const D a = gate_magnitude(x);
  return times_sigmoid_derivative(x, a, exponential(-a, D{}));
}

// 2y = a·(c0 + c1·a²), c0 = 2·√(2/π), c1 = 0.044715·c0, in double-double: an error of y is one of e^y, absolute.
template <typename D>
Exponential<D> gelu_tanh_exponential(D a) {
  constexpr double c0 = 0x1.9884533d43651p+0, c0_low = -0x1.cbc0d30ebfd15p-54;
  constexpr double c1 = 0x1.2444f2a4d8b4bp-4, c1_low = -0x1.6c843a29d1c70p-61;
  const Pair<D> square = two_product(a, a);
  const Pair<D> cubic = two_product(square.high, broadcast<D>(c1));
  const Pair<D> slope = two_sum(cubic.high, broadcast<D>(c0));
  const D slope_low = slope.low + ((cubic.low + (square.low * c1 + square.high * c1_low)) + c0_low);
  const Pair<D> g = two_product(a, slope.high);
  return exponential(-g.high, -(g.low + a * slope_low));
}

template <typename D>
D gelu_tanh_of(D x) {
  const D a = at_most(gate_magnitude(x), 64);
  return times_sigmoid(x, a, gelu_tanh_exponential(a));
}

template <typename D>
D gelu_tanh_derivative_of(D x) {
  const D a = at_most(gate_magnitude(x), 64);
  // a·d(2y)/da = a·(c0 + 3·c1·a²)
  const D w = a * (0x1.b6676bf7450fp-3 * (a * a) + 0x1.9884533d43651p+0);
  return times_sigmoid_derivative(x, w, gelu_tanh_exponential(a));
}

// tanh(log(1 + u)) = u(u + 2)/(u(u + 2) + 2), u = e^x; with v = e^-x for x >= 0: (1 + 2v)/(1 + 2v + 2v²).
template <typename D>
D mish_of(D x) {
  const D a = gate_magnitude(x);
  const auto e = exponential(-a, D{});
  const D u = scaled(e);
  const D negative = scale(-a * ((e.q + 1) * (u + 2)) / (u * (u + 2) + 2), e.k);
  const D n = 2 * u + 1;
  return select(x < 0, negative, x * (n / (n + 2 * (u * u))));
}

// With d = u² + 2u + 2: u·((u + 2)·d - 4a(u + 1))/d² for x < 0; with d = 1 + 2v + 2v²: ((1 + 2v)·d + 4a·v²(1 + v))/d².
template <typename D>
D mish_derivative_of(D x) {
  const D a = gate_magnitude(x);
  const auto e = exponential(-a, D{});
  const D u = scaled(e);
  const D d = u * (u + 2) + 2;
  const D negative = scale((e.q + 1) * ((u + 2) * d - 4 * a * (u + 1)) / (d * d), e.k);
  const D n = 2 * u + 1;
  const D c = n + 2 * (u * u);
  return select(x < 0, negative, (n * c + 4 * a * (u * u) * (u + 1)) / (c * c));
}

}  // namespace fusecheck::numeric
