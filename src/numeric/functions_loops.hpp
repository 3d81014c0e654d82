// The f64 functions over arrays, for one width of vectors. One file for each instruction set includes this (N11).
#pragma once

#include <cstddef>
#include <cstdint>

#include "numeric/functions_dispatch.hpp"
#include "numeric/functions_exponential.hpp"
#include "numeric/functions_gates.hpp"
#include "numeric/functions_normal.hpp"

namespace fusecheck::numeric {

template <typename D>
inline constexpr std::size_t lanes = sizeof(D) / sizeof(double);

template <typename D>
D sqrt_of(D x) {
  for (std::size_t i = 0; i < lanes<D>; ++i) x[i] = __builtin_sqrt(x[i]);
  return x;
}

template <typename D>
D rsqrt_of(D x) {
  return 1 / sqrt_of(x);
}

// The last elements go through a vector filled up with zeros.
template <typename D, D (*function)(D)>
void loop(const double* x, double* y, std::size_t n) {
  constexpr double canonical = __builtin_bit_cast(double, INT64_C(0x7ff8000000000000));
  for (std::size_t i = 0; i < n; i += lanes<D>) {
    const std::size_t left = n - i;
    const std::size_t bytes = left < lanes<D> ? left * sizeof(double) : sizeof(D);
    D v{};
    if (bytes == sizeof(D)) {
      __builtin_memcpy(&v, x + i, sizeof(D));
    } else {
      __builtin_memcpy(&v, x + i, bytes);
    }
    v = function(v);
    v = select(v == v, v, broadcast<D>(canonical));
    if (bytes == sizeof(D)) {
      __builtin_memcpy(y + i, &v, sizeof(D));
    } else {
      __builtin_memcpy(y + i, &v, bytes);
    }
  }
}

// In the order of Function.
template <typename D>
inline constexpr FunctionLoop function_loops[] = {
    loop<D, exp_of<D>>,
    loop<D, expm1_of<D>>,
    loop<D, log_of<D>>,
    loop<D, tanh_of<D>>,
    loop<D, erf_of<D>>,
    loop<D, sigmoid_of<D>>,
    loop<D, sqrt_of<D>>,
    loop<D, rsqrt_of<D>>,
    loop<D, gelu_of<D>>,
    loop<D, gelu_tanh_of<D>>,
    loop<D, silu_of<D>>,
    loop<D, softplus_of<D>>,
    loop<D, mish_of<D>>,
    loop<D, tanh_derivative_of<D>>,
    loop<D, erf_derivative_of<D>>,
    loop<D, sigmoid_derivative_of<D>>,
    loop<D, gelu_derivative_of<D>>,
    loop<D, gelu_tanh_derivative_of<D>>,
    loop<D, silu_derivative_of<D>>,
    loop<D, mish_derivative_of<D>>,
};

}  // namespace fusecheck::numeric
