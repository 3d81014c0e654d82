// Accumulation in f16 of operands that are not f16 values themselves: one FMA, rounded once, on every SIMD path.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/contraction.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::engine {
namespace {

std::vector<Simd> paths() {
  std::vector<Simd> found;
  for (const char* name : {"scalar", "avx2", "avx512"}) {
    try {
      found.push_back(parse_simd(name));
    } catch (const Error&) {  // this CPU lacks it
    }
  }
  return found;
}

// x·w + bias for one output channel, accumulated in f16.
float step(float x, float w, float bias, Simd simd) {
  Contraction problem;  // one pixel, one channel, a 1x1 kernel
  Arithmetic arithmetic;
  arithmetic.accumulate = DType::f16;
  return contract(problem, std::vector<float>{x}, std::vector<float>{w}, std::vector<float>{bias}, arithmetic,
                  Execution{1, simd})
      .at(0);
}

// (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24 lies just above the middle of the f16 values 1 and 1 + 2^-10. In f32 it rounds to
// that very middle, and from there to 1: the lost 2^-24 has to decide.
TEST(HalfAccumulation, ProductOfF32OperandsIsRoundedOnce) {
  const float x = 1 + std::ldexp(1.0f, -12);
  const float up = 1 + std::ldexp(1.0f, -10);
  for (const Simd simd : paths()) {
    EXPECT_EQ(step(x, x, 0, simd), up) << name_of(simd);
    EXPECT_EQ(step(-x, x, 0, simd), -up) << name_of(simd);
    // 1 + (1 + 2^-12)^2 = 2 + 2^-11 + 2^-24 is below the middle of 2 and 2 + 2^-9.
    EXPECT_EQ(step(x, x, 1, simd), 2.0f) << name_of(simd);
  }
}

// (1 + 2^-12)(1 + 2^-12 - 2^-23) = 1 + 2^-11 - 2^-24 - 2^-35, just below the middle: 2^-24 + 2^-35 is more than half
// the f32 spacing 2^-23, so f32 rounds it to 1 + 2^-11 - 2^-23, and f16 to 1. With 2^-1 as accumulator the sum
// 1.5 + 2^-11 - 2^-24 - 2^-35 does the same: 1.5.
TEST(HalfAccumulation, ProductOfF32OperandsBelowTheMiddleGoesDown) {
  const float x = 1 + std::ldexp(1.0f, -12);
  const float w = x - std::ldexp(1.0f, -23);
  for (const Simd simd : paths()) {
    EXPECT_EQ(step(x, w, 0, simd), 1.0f) << name_of(simd);
    EXPECT_EQ(step(x, w, 0.5f, simd), 1.5f) << name_of(simd);
  }
}

}  // namespace
}  // namespace fusecheck::engine
