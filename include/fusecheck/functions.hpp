// Elementary functions and activations, with the same bits on every machine, and correctly rounded to a format
// (NUMERICS.md N11).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "fusecheck/dtype.hpp"

namespace fusecheck {

// Φ is the normal distribution function (1 + erf(x/√2))/2, σ(x) = 1/(1 + e^-x).
enum class Function : std::uint8_t {
  exp,
  expm1,  // e^x - 1
  log,    // -0 and +0 give -Inf, x < 0 NaN
  tanh,
  erf,
  sigmoid,    // σ(x); also the derivative of softplus
  sqrt,       // -0 gives -0, x < 0 NaN
  rsqrt,      // 1/√x; ±0 give ±Inf (IEEE 754-2019 9.2.1), x < 0 NaN
  gelu,       // x·Φ(x)                                    (Hendrycks and Gimpel 2016)
  gelu_tanh,  // x·σ(2y) = x·(1 + tanh(y))/2, y = √(2/π)·(x + 0.044715·x³), the decimal constant as written
  silu,       // x·σ(x)
  softplus,   // log(1 + e^x)
  mish,       // x·tanh(softplus(x))                       (Misra 2019)
  tanh_derivative,     // 1 - tanh²x
  erf_derivative,      // 2/√π·e^(-x²)
  sigmoid_derivative,  // σ(x)·(1 - σ(x))
  gelu_derivative,     // Φ(x) + x·Φ'(x)
  gelu_tanh_derivative,
  silu_derivative,  // σ(x)·(1 + x·(1 - σ(x)))
  mish_derivative,
};

std::span<const Function> all_functions();    // in the order of the enumeration
std::string_view name_of(Function function);  // "gelu_tanh_derivative"

// f(x) in f64. |result - f(x)| <= relative_error(f)·|f(x)|, or 2^-1074 where that is more. A derivative with a zero x0
// (gelu, gelu_tanh, silu, mish: -1.28 < x0 < -0.75) keeps relative_error(f)·max(|f(x)|, 2^-3) on -2 < x < -1/2.
//
// NaN gives the canonical NaN. A limit is taken for its value: f(±Inf) is the limit, with the sign from which it is
// approached (silu(-Inf) = -0). f(±0) is exact, with the sign of x where f is x times something.
double evaluate(Function function, double x);
double relative_error(Function function);  // 2^-53 for sqrt to 36·2^-53 for gelu_derivative

// The same for arrays of one size, bit-identical, several elements at a time. x and y are the same memory or do not
// overlap.
void evaluate(Function function, std::span<const double> x, std::span<double> y);

// The value of `dtype` nearest to f(x), ties to even, as one rounding of the exact value; overflow, underflow and
// subnormals as IEEE 754-2019 says, NaN canonical. dtype: f16, bf16 or f32; x: values of dtype. Same size; the same
// memory or no overlap. Internal error: another dtype.
void correctly_rounded(Function function, DType dtype, std::span<const double> x, std::span<double> y);

}  // namespace fusecheck
