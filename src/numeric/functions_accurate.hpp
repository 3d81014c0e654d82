// The functions to about 100 bits: what decides where f64 cannot (N11).
#pragma once

#include "fusecheck/functions.hpp"
#include "numeric/functions_pair.hpp"

namespace fusecheck::numeric {

struct Accurate {
  Number value;
  double error;  // |f(x) - (high + low)| is at most this
};

// x is an f32 value, finite and in the domain, and |f(x)| neither below 2^-160 nor above 2^130.
Accurate accurate(Function function, double x);

// The families that it is made of.

struct NumberExponential {
  Number q;  // e^x = 2^k·(1 + q)
  int k;
};
NumberExponential exponential_of(Number x);
Number exp_of(Number x);
Number expm1_of(Number x);
Number log_of(double x);
Number log1p_of_unit(Number v);  // 0 <= v <= 1

Number erf_of(double x);
Number erf_derivative_of(double x);
Number normal_density(double x);  // e^(-x²/2)/√(2π)
Number normal_cdf(double x);      // Φ

}  // namespace fusecheck::numeric
