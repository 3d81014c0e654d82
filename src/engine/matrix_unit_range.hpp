// Which operands the kernels for matrix units take; others go to numeric::dot.
#pragma once

#include <cstdint>
#include <span>

#include "fusecheck/numeric_model.hpp"

namespace fusecheck::engine {

// Products that are not 0 have exponents of at least -50 (f16 subnormals: -48) and at most 54, and F is at most 25. So
// accumulators are multiples of 2^-75, none but 0 has an exponent below that, and alignment to at least 2^-76 stands
// for every lower floor of a unit. All powers of two that scale a value then lie in [2^-100, 2^101].
inline constexpr int kLeastProductExponent = -50;
inline constexpr int kMostOperandExponent = 27;
inline constexpr int kMostFractionBits = 25;
inline constexpr std::int32_t kLeastExponent = -76;

// True when the kernels give the bits of numeric::matrix_unit_step: finite operands in the range above, products exact
// in f32, L aligned products within 32 bits, final rounding toward zero or to nearest even.
bool kernels_fit(const MatrixUnit& unit, std::span<const float> a, std::span<const float> b,
                 std::span<const float> bias);

// floor(log2|x|) for the values above, kZeroExponent for 0.
void exponents_of(const float* x, std::int64_t size, std::int8_t* exponents);

}  // namespace fusecheck::engine
