// Arrays between f32 and f16 by the conversions of F16C, which every machine with AVX2 has (round_array.cpp asks). They
// are those of IEEE 754 whatever the control register says: the direction is part of the instruction, subnormals of f16
// are kept, and those of f32 are all below half the smallest of f16. Only a NaN has to be made canonical first.
#pragma once

#include "numeric/round_loops.hpp"

namespace fusecheck::numeric {
namespace {

using Float8 = float __attribute__((vector_size(32)));
using Half8 = short __attribute__((vector_size(16)));
constexpr std::size_t lanes = 8;

inline void narrow_f16_by_hardware(const float* __restrict x, void* __restrict patterns, std::size_t n) {
  constexpr int nearest_even = 0;
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    Float8 value;
    __builtin_memcpy(&value, x + i, sizeof value);
    const Float8 canonical_nan = Float8{} + quiet_nan<float>;
    value = value == value ? value : canonical_nan;
    const Half8 half = __builtin_ia32_vcvtps2ph256(value, nearest_even);
    __builtin_memcpy(static_cast<char*>(patterns) + 2 * i, &half, sizeof half);
  }
  round_loops().narrow_f16(x + i, static_cast<char*>(patterns) + 2 * i, n - i);
}

inline void widen_f16_by_hardware(const void* __restrict patterns, float* __restrict y, std::size_t n) {
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    Half8 half;
    __builtin_memcpy(&half, static_cast<const char*>(patterns) + 2 * i, sizeof half);
    const Float8 value = __builtin_ia32_vcvtph2ps256(half);
    __builtin_memcpy(y + i, &value, sizeof value);
  }
  round_loops().widen_f16(static_cast<const char*>(patterns) + 2 * i, y + i, n - i);
}

constexpr RoundLoops round_loops_with_f16c() {
  RoundLoops loops = round_loops();
  loops.narrow_f16 = narrow_f16_by_hardware;
  loops.widen_f16 = widen_f16_by_hardware;
  return loops;
}

}  // namespace
}  // namespace fusecheck::numeric
