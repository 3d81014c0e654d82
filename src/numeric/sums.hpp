// Sums of given terms in every order of NUMERICS.md N5: the plain definition that the engine's vector code is tested
// against, and what reductions use.
#pragma once

#include <cstdint>
#include <span>

#include "fusecheck/numeric_model.hpp"

namespace fusecheck::numeric {

// Σ a_k·b_k + c in the given order, accumulated in f32. The definition of each order is in numeric_model.hpp. No terms:
// c. A NaN is the canonical one, from every function here.
float dot(std::span<const float> a, std::span<const float> b, float c, const SumOrder& order);
// One fused multiply-add per term in f16, each correctly rounded, k ascending; c is an f16 value.
float dot_f16(std::span<const float> a, std::span<const float> b, float c);
// Σ x_k in the given order (as dot with b = 1); accumulate f32 or f16.
float sum(std::span<const float> x, const SumOrder& order, DType accumulate = DType::f32);

// One step of a matrix unit: c + Σ a_k·b_k over at most unit.products terms, for an accumulator of format `out`
// (f32 or f16). N7. Subnormal operands keep the exponent -126 and, where `out` is f16, -14; an f16 subnormal added to
// an f32 accumulator is not told from the normal bf16 value that it equals. Infinite and NaN operands: as IEEE
// addition.
float matrix_unit_step(std::span<const float> a, std::span<const float> b, float c, const MatrixUnit& unit, DType out);

// Σ x_k as high + low, by double-double accumulation: the error is at most about n·2^-104·Σ|x_k|.
struct DoubleDouble {
  double high = 0, low = 0;
};
DoubleDouble exact_sum(std::span<const double> x);

}  // namespace fusecheck::numeric
