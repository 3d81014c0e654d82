// The CPU's own conversion of f16 (F16C on x86-64) as the judge, where there is one.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <vector>

#include "fusecheck/dtype.hpp"

#if defined(__x86_64__)

namespace fusecheck {
namespace {

using Float8 = float __attribute__((vector_size(32)));
using Short8 = short __attribute__((vector_size(16)));

bool has_f16c() { return __builtin_cpu_supports("f16c") != 0; }

// To f16, ties to even, and back to f32.
__attribute__((target("avx,f16c"))) void through_f16(const float* x, float* y) {
  Float8 values;
  __builtin_memcpy(&values, x, sizeof values);
  const Short8 halves = __builtin_ia32_vcvtps2ph256(values, 0);
  values = __builtin_ia32_vcvtph2ps256(halves);
  __builtin_memcpy(y, &values, sizeof values);
}

__attribute__((target("avx,f16c"))) void widen(const std::uint16_t* x, float* y) {
  Short8 halves;
  __builtin_memcpy(&halves, x, sizeof halves);
  const Float8 values = __builtin_ia32_vcvtph2ps256(halves);
  __builtin_memcpy(y, &values, sizeof values);
}

struct Count {
  std::uint64_t compared = 0, mismatches = 0, nans = 0;
};

// 65,536 consecutive f32 patterns through the array function. NaN: both must be one, ours the canonical one.
void compare_block(std::uint32_t first, std::vector<float>& x, std::vector<float>& ours, Count& count) {
  for (std::uint32_t i = 0; i < x.size(); ++i) x[i] = std::bit_cast<float>(first + i);
  round_to(DType::f16, std::span<const float>(x), std::span<float>(ours));
  std::array<float, 8> hardware;
  for (std::size_t i = 0; i < x.size(); i += 8) {
    through_f16(&x[i], hardware.data());
    for (std::size_t lane = 0; lane < 8; ++lane) {
      const std::uint32_t theirs = std::bit_cast<std::uint32_t>(hardware[lane]);
      const bool is_nan = (theirs & 0x7fff'ffffU) > 0x7f80'0000U;
      const std::uint32_t expected = is_nan ? 0x7fc0'0000U : theirs;
      count.mismatches += std::bit_cast<std::uint32_t>(ours[i + lane]) != expected ? 1U : 0U;
      count.nans += is_nan ? 1U : 0U;
    }
  }
  count.compared += x.size();
}

// All 2^32 patterns where FUSECHECK_EXHAUSTIVE is 1, else every 61st block of them.
TEST(Hardware, F32ToF16) {
  if (!has_f16c()) {
    std::cout << "this CPU has no F16C: nothing to compare with\n";
    return;
  }
  const char* setting = std::getenv("FUSECHECK_EXHAUSTIVE");
  const bool exhaustive = setting != nullptr && std::string_view(setting) == "1";
  const std::uint32_t stride = exhaustive ? 1 : 61;
  std::vector<float> x(65536), ours(65536);
  Count count;
  for (std::uint32_t block = 0; block < 65536; block += stride) compare_block(block << 16, x, ours, count);
  std::cout << "f32 to f16: " << count.compared << " patterns, " << count.nans << " NaN, " << count.mismatches
            << " mismatches\n";
  EXPECT_EQ(count.mismatches, 0U);
  // 2·(2^23 - 1) of all f32 patterns are NaN; 1,075 is 65,536/61 rounded up.
  EXPECT_EQ(count.compared, (exhaustive ? 65536U : 1075U) * std::uint64_t{65536});
  if (exhaustive) {
    EXPECT_EQ(count.nans, 2U * 8388607U);
  }
}

TEST(Hardware, EveryF16Widened) {
  if (!has_f16c()) {
    std::cout << "this CPU has no F16C: nothing to compare with\n";
    return;
  }
  std::size_t mismatches = 0;
  for (std::uint32_t first = 0; first < 65536; first += 8) {
    std::array<std::uint16_t, 8> patterns;
    for (std::uint32_t i = 0; i < 8; ++i) patterns[i] = static_cast<std::uint16_t>(first + i);
    std::array<float, 8> wide;
    widen(patterns.data(), wide.data());
    for (std::uint32_t i = 0; i < 8; ++i) {
      const std::uint64_t theirs = bits_of(DType::f64, static_cast<double>(wide[i]));
      mismatches += bits_of(DType::f64, value_of(DType::f16, first + i)) != theirs ? 1U : 0U;
    }
  }
  EXPECT_EQ(mismatches, 0U);
}

}  // namespace
}  // namespace fusecheck

#endif
