// The rounding loops as compiled for each instruction set; all give the same bits.
#pragma once

#include <cstddef>

namespace fusecheck::numeric {

// y_i = x_i rounded to nearest even, NaN canonical. x == y, or no overlap.
template <typename T>
using RoundLoop = void (*)(const T* x, T* y, std::size_t n);

// The 16-bit patterns, little-endian, of x_i rounded to nearest even, NaN canonical; and their values. `truths`: a
// byte, 1 for any number but 0. No overlap.
using NarrowLoop = void (*)(const float* x, void* patterns, std::size_t n);
using WidenLoop = void (*)(const void* patterns, float* y, std::size_t n);

struct RoundLoops {
  RoundLoop<double> f64_to_f64, f64_to_f32, f64_to_f16, f64_to_bf16;
  RoundLoop<float> f32_to_f32, f32_to_f16, f32_to_bf16;
  NarrowLoop narrow_f16, narrow_bf16, truths;
  WidenLoop widen_f16, widen_bf16;
};
const RoundLoops& round_loops_avx2();
const RoundLoops& round_loops_avx512();

}  // namespace fusecheck::numeric
