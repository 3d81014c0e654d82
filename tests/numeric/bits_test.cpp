// Patterns, spacing and distance.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "fusecheck/dtype.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t no_distance = std::numeric_limits<std::int64_t>::max();

TEST(Bits, KnownPatternsOfF16) {
  // Sign, 5 bits of exponent with bias 15, 10 bits of fraction.
  EXPECT_EQ(value_of(DType::f16, 0x3c00), 1.0);
  EXPECT_EQ(value_of(DType::f16, 0xc000), -2.0);
  EXPECT_EQ(value_of(DType::f16, 0x3555), 1365.0 * 0x1p-12);  // 1.0101010101b · 2^-2
  EXPECT_EQ(value_of(DType::f16, 0x0001), 0x1p-24);
  EXPECT_EQ(value_of(DType::f16, 0x03ff), 1023 * 0x1p-24);
  EXPECT_EQ(value_of(DType::f16, 0x0400), 0x1p-14);
  EXPECT_EQ(value_of(DType::f16, 0x7bff), 65504.0);
  EXPECT_EQ(value_of(DType::f16, 0xfc00), -infinity);
  EXPECT_TRUE(std::isnan(value_of(DType::f16, 0x7c01)));
  EXPECT_EQ(bits_of(DType::f16, -0.0), 0x8000U);
  EXPECT_EQ(bits_of(DType::f16, nan), 0x7e00U);
  EXPECT_EQ(bits_of(DType::f16, -nan), 0x7e00U);
  EXPECT_EQ(bits_of(DType::bf16, nan), 0x7fc0U);
  EXPECT_EQ(bits_of(DType::f32, nan), 0x7fc0'0000U);
  EXPECT_EQ(bits_of(DType::f64, nan), 0x7ff8'0000'0000'0000U);
}

// value_of, rounding in every direction and bits_of lead back to each of the 65,536 patterns.
void check_every_pattern(DType format, std::uint64_t infinity_bits, std::uint64_t quiet_nan_bits) {
  std::size_t wrong = 0, nans = 0;
  for (std::uint64_t pattern = 0; pattern < 0x10000; ++pattern) {
    const double value = value_of(format, pattern);
    const bool is_nan = (pattern & 0x7fff) > infinity_bits;
    nans += is_nan ? 1U : 0U;
    const std::uint64_t expected = is_nan ? quiet_nan_bits : pattern;
    // f16 and bf16 values are values of f32 and f64, so widening and back must not change them.
    const double widened = static_cast<double>(static_cast<float>(value));
    for (const Rounding direction : {Rounding::nearest_even, Rounding::nearest_away, Rounding::toward_zero,
                                     Rounding::up, Rounding::down, Rounding::odd}) {
      const double back = round_to(format, round_to(DType::f32, widened), {.direction = direction});
      wrong += bits_of(format, back) != expected ? 1U : 0U;
    }
    wrong += std::isnan(value) != is_nan ? 1U : 0U;
  }
  EXPECT_EQ(nans, 2 * (0x7fff - infinity_bits));
  EXPECT_EQ(wrong, 0U);
}

TEST(Bits, EveryPatternOfF16) { check_every_pattern(DType::f16, 0x7c00, 0x7e00); }
TEST(Bits, EveryPatternOfBf16) { check_every_pattern(DType::bf16, 0x7f80, 0x7fc0); }

// bf16 is the upper half of f32, which the compiler converts.
TEST(Bits, EveryValueOfBf16) {
  for (std::uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
    const double expected = static_cast<double>(std::bit_cast<float>(pattern << 16));
    if (std::isnan(expected)) continue;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(value_of(DType::bf16, pattern)), std::bit_cast<std::uint64_t>(expected))
        << std::hex << pattern;
  }
}

// The compiler's own float and double are f32 and f64; every 65,537th pattern, and the ends.
TEST(Bits, F32AndF64AreTheCompilersTypes) {
  for (std::uint64_t pattern = 0; pattern <= 0xffff'ffffU; pattern += 65537) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(pattern));
    if (std::isnan(value)) continue;
    ASSERT_EQ(value_of(DType::f32, pattern), static_cast<double>(value));
    ASSERT_EQ(bits_of(DType::f32, static_cast<double>(value)), pattern);
  }
  for (const double value : {0.1, -0x1p-1074, 0x1.fffffffffffffp1023, -infinity, 0x1p-1022, -0.0, 0x1.8p-1023}) {
    EXPECT_EQ(bits_of(DType::f64, value), std::bit_cast<std::uint64_t>(value));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(value_of(DType::f64, std::bit_cast<std::uint64_t>(value))),
              std::bit_cast<std::uint64_t>(value));
  }
}

TEST(Bits, Integers) {
  EXPECT_EQ(bits_of(DType::i32, -1), 0xffff'ffffU);
  EXPECT_EQ(value_of(DType::i32, 0x8000'0000U), -2147483648.0);
  EXPECT_EQ(bits_of(DType::u8, 255), 0xffU);
  EXPECT_EQ(value_of(DType::u8, 0xff), 255);
  EXPECT_EQ(bits_of(DType::i64, -2), 0xffff'ffff'ffff'fffeU);
  EXPECT_EQ(value_of(DType::boolean, 7), 1);
}

TEST(Bits, WhatIsNoValueOfTheFormatIsRefused) {
  EXPECT_THROW(bits_of(DType::f16, 1 + 0x1p-11), Error);
  EXPECT_THROW(bits_of(DType::f16, 65536), Error);
  EXPECT_THROW(bits_of(DType::f16, 0x1p-25), Error);
  EXPECT_THROW(bits_of(DType::f16, 0x1p-300), Error);
  EXPECT_THROW(bits_of(DType::bf16, 257), Error);
  EXPECT_THROW(bits_of(DType::f32, 0.1), Error);
  EXPECT_THROW(bits_of(DType::i32, 0.5), Error);
  EXPECT_THROW(bits_of(DType::u8, 256), Error);
}

TEST(Ulp, Spacing) {
  EXPECT_EQ(ulp(DType::f16, 1), 0x1p-10);
  EXPECT_EQ(ulp(DType::f16, -1.99), 0x1p-10);
  EXPECT_EQ(ulp(DType::f16, 2), 0x1p-9);
  EXPECT_EQ(ulp(DType::f16, std::nextafter(1.0, 0.0)), 0x1p-11);
  EXPECT_EQ(ulp(DType::f16, 0x1p-14), 0x1p-24);
  EXPECT_EQ(ulp(DType::f16, 0x1p-20), 0x1p-24);
  EXPECT_EQ(ulp(DType::f16, 0x1p-1074), 0x1p-24);
  EXPECT_EQ(ulp(DType::f16, 0), 0x1p-24);
  EXPECT_EQ(ulp(DType::f16, 65504), 32);
  EXPECT_EQ(ulp(DType::f16, 1e9), 32);
  EXPECT_EQ(ulp(DType::f16, -infinity), 32);
  EXPECT_TRUE(std::isnan(ulp(DType::f16, nan)));
  EXPECT_EQ(ulp(DType::bf16, 1), 0x1p-7);
  EXPECT_EQ(ulp(DType::f32, 1), 0x1p-23);
  EXPECT_EQ(ulp(DType::f32, 0), 0x1p-149);
  EXPECT_EQ(ulp(DType::f64, 1), 0x1p-52);
  EXPECT_EQ(ulp(DType::f64, 0x1p-1060), 0x1p-1074);
}

TEST(UlpDistance, CountsAlongTheLine) {
  EXPECT_EQ(ulp_distance(DType::f16, 1, 1), 0);
  EXPECT_EQ(ulp_distance(DType::f16, 1, 1 + 0x1p-10), 1);
  EXPECT_EQ(ulp_distance(DType::f16, 1 + 0x1p-10, 1), 1);
  EXPECT_EQ(ulp_distance(DType::f16, 1, 1 - 0x1p-11), 1);
  EXPECT_EQ(ulp_distance(DType::f16, 1, 2), 1024);
  EXPECT_EQ(ulp_distance(DType::f16, 1023 * 0x1p-24, 0x1p-14), 1);
  EXPECT_EQ(ulp_distance(DType::f16, 0.0, -0.0), 0);
  EXPECT_EQ(ulp_distance(DType::f16, -0.0, 0x1p-24), 1);
  EXPECT_EQ(ulp_distance(DType::f16, -0x1p-24, 0x1p-24), 2);
  EXPECT_EQ(ulp_distance(DType::f16, -65504, 65504), 2 * 0x7bff);
  EXPECT_EQ(ulp_distance(DType::bf16, 1, 1 + 0x1p-6), 2);
  EXPECT_EQ(ulp_distance(DType::f32, 1, 1 + 0x1p-20), 8);
  EXPECT_EQ(ulp_distance(DType::f64, 1, 1 + 0x1p-52), 1);
}

TEST(UlpDistance, InfinitiesAndNan) {
  EXPECT_EQ(ulp_distance(DType::f16, infinity, infinity), 0);
  EXPECT_EQ(ulp_distance(DType::f16, infinity, 65504), no_distance);
  EXPECT_EQ(ulp_distance(DType::f16, infinity, -infinity), no_distance);
  EXPECT_EQ(ulp_distance(DType::f16, nan, 1), no_distance);
  EXPECT_EQ(ulp_distance(DType::f16, infinity, nan), no_distance);
  EXPECT_EQ(ulp_distance(DType::f16, nan, -nan), 0);
  // 2·0x7fefffffffffffff exceeds 2^63-1.
  EXPECT_EQ(ulp_distance(DType::f64, -0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023), no_distance);
}

TEST(UlpDistance, Integers) {
  EXPECT_EQ(ulp_distance(DType::i32, -3, 4), 7);
  EXPECT_EQ(ulp_distance(DType::u8, 255, 0), 255);
}

}  // namespace
}  // namespace fusecheck
