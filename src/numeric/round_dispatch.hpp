// The rounding loops as compiled for each instruction set; all give the same bits.
#pragma once

#include <cstddef>

namespace fusecheck::numeric {

// y_i = x_i rounded to nearest even, NaN canonical. x == y, or no overlap.
template <typename T>
using RoundLoop = void (*)(const T* x, T* y, std::size_t n);

struct RoundLoops {
  RoundLoop<double> f64_to_f64, f64_to_f32, f64_to_f16, f64_to_bf16;
  RoundLoop<float> f32_to_f32, f32_to_f16, f32_to_bf16;
};
const RoundLoops& round_loops_avx2();
const RoundLoops& round_loops_avx512();

}  // namespace fusecheck::numeric
