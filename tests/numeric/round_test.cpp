// Hand-derived roundings. Near 1 the spacing of f16 is 2^-10 and of bf16 2^-7, so 1 + 2^-11 and 1 + 2^-8 are ties.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "fusecheck/dtype.hpp"

namespace fusecheck {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// What x becomes in each direction; the mirrored results for -x follow, with up and down exchanged.
struct Expected {
  DType format;
  double x, even, away, zero, up, down, odd;
};

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

double rounded(DType format, double x, Rounding direction) { return round_to(format, x, {.direction = direction}); }

void check(const Expected& e) {
  SCOPED_TRACE(testing::Message() << name_of(e.format) << " of " << std::hexfloat << e.x);
  EXPECT_EQ(bits(rounded(e.format, e.x, Rounding::nearest_even)), bits(e.even));
  EXPECT_EQ(bits(rounded(e.format, e.x, Rounding::nearest_away)), bits(e.away));
  EXPECT_EQ(bits(rounded(e.format, e.x, Rounding::toward_zero)), bits(e.zero));
  EXPECT_EQ(bits(rounded(e.format, e.x, Rounding::up)), bits(e.up));
  EXPECT_EQ(bits(rounded(e.format, e.x, Rounding::down)), bits(e.down));
  EXPECT_EQ(bits(rounded(e.format, e.x, Rounding::odd)), bits(e.odd));
}

void check_both_signs(const Expected& e) {
  check(e);
  check({e.format, -e.x, -e.even, -e.away, -e.zero, -e.down, -e.up, -e.odd});
}

constexpr DType f16 = DType::f16, bf16 = DType::bf16, f32 = DType::f32, f64 = DType::f64;

TEST(Round, TiesAndNearTiesOfF16) {
  const double u = 0x1p-10;
  // Half-way above 1 (even significand 1024) and above 1 + u (odd 1025).
  check_both_signs({f16, 1 + u / 2, 1, 1 + u, 1, 1 + u, 1, 1 + u});
  check_both_signs({f16, 1 + 3 * u / 2, 1 + 2 * u, 1 + 2 * u, 1 + u, 1 + 2 * u, 1 + u, 1 + u});
  // One double beside the tie: f32 has only 2^-23 there, so a detour through it would see the tie itself.
  check_both_signs({f16, 1 + u / 2 + 0x1p-52, 1 + u, 1 + u, 1, 1 + u, 1, 1 + u});
  check_both_signs({f16, 1 + 3 * u / 2 - 0x1p-52, 1 + u, 1 + u, 1 + u, 1 + 2 * u, 1 + u, 1 + u});
  // Up into the next binade: 2 - u/2 lies half-way between 2 - u (odd 2047) and 2.
  check_both_signs({f16, 2 - u / 2, 2, 2, 2 - u, 2, 2 - u, 2 - u});
  check_both_signs({f16, 1, 1, 1, 1, 1, 1, 1});
}

TEST(Round, OverflowOfF16) {
  // 65504 = (2 - 2^-10)·2^15 has the odd significand 2047; 65520 is half-way to 2^16.
  const double below = std::nextafter(65520.0, 0.0);
  check_both_signs({f16, 65519.99, 65504, 65504, 65504, infinity, 65504, 65504});
  check_both_signs({f16, below, 65504, 65504, 65504, infinity, 65504, 65504});
  check_both_signs({f16, 65520, infinity, infinity, 65504, infinity, 65504, 65504});
  check_both_signs({f16, 1e300, infinity, infinity, 65504, infinity, 65504, 65504});
  check_both_signs({f16, infinity, infinity, infinity, infinity, infinity, infinity, infinity});
}

TEST(Round, SubnormalsOfF16) {
  const double s = 0x1p-24;  // the smallest one
  check_both_signs({f16, s / 2, 0, s, 0, s, 0, s});
  check_both_signs({f16, std::nextafter(s / 2, 1.0), s, s, 0, s, 0, s});
  check_both_signs({f16, std::nextafter(s / 2, 0.0), 0, 0, 0, s, 0, s});
  check_both_signs({f16, 3 * s / 2, 2 * s, 2 * s, s, 2 * s, s, s});
  check_both_signs({f16, 5 * s / 2, 2 * s, 3 * s, 2 * s, 3 * s, 2 * s, 3 * s});
  check_both_signs({f16, 0x1p-1074, 0, 0, 0, s, 0, s});
  check_both_signs({f16, 0x1p-80, 0, 0, 0, s, 0, s});
  // Half-way between the largest subnormal, 1023 s, and the smallest normal number, 1024 s.
  check_both_signs({f16, 1023.5 * s, 1024 * s, 1024 * s, 1023 * s, 1024 * s, 1023 * s, 1023 * s});
  check_both_signs({f16, 0, 0, 0, 0, 0, 0, 0});
}

TEST(Round, Bf16) {
  const double u = 0x1p-7, largest = 0x1.fep127, s = 0x1p-133;
  check_both_signs({bf16, 1 + u / 2, 1, 1 + u, 1, 1 + u, 1, 1 + u});
  check_both_signs({bf16, 1 + 3 * u / 2, 1 + 2 * u, 1 + 2 * u, 1 + u, 1 + 2 * u, 1 + u, 1 + u});
  check_both_signs({bf16, 1 + u / 2 + 0x1p-52, 1 + u, 1 + u, 1, 1 + u, 1, 1 + u});
  // 0x1.ffp127 is half-way from the largest value (odd significand 255) to 2^128.
  check_both_signs({bf16, 0x1.ffp127, infinity, infinity, largest, infinity, largest, largest});
  check_both_signs({bf16, 0x1.feffffffffffp127, largest, largest, largest, infinity, largest, largest});
  check_both_signs({bf16, s / 2, 0, s, 0, s, 0, s});
  check_both_signs({bf16, 127.5 * s, 128 * s, 128 * s, 127 * s, 128 * s, 127 * s, 127 * s});
}

TEST(Round, F32) {
  const double u = 0x1p-23, largest = 0x1.fffffep127, s = 0x1p-149;
  check_both_signs({f32, 1 + u / 2, 1, 1 + u, 1, 1 + u, 1, 1 + u});
  check_both_signs({f32, 1 + u / 2 + 0x1p-52, 1 + u, 1 + u, 1, 1 + u, 1, 1 + u});
  check_both_signs({f32, 0x1.ffffffp127, infinity, infinity, largest, infinity, largest, largest});
  check_both_signs({f32, 0x1.fffffefffffffp127, largest, largest, largest, infinity, largest, largest});
  check_both_signs({f32, s / 2, 0, s, 0, s, 0, s});
  check_both_signs({f32, 0x1.8p-149, 2 * s, 2 * s, s, 2 * s, s, s});
}

TEST(Round, F64IsTheIdentity) {
  for (const double x : {0.1, -0x1p-1074, 0x1.fffffffffffffp1023, 0x1.8p-1022, -0.0, infinity, -infinity}) {
    check({f64, x, x, x, x, x, x, x});
  }
}

TEST(Round, Saturation) {
  const RoundingRule rule = {.overflow = Overflow::saturate};
  EXPECT_EQ(round_to(f16, 65520, rule), 65504);
  EXPECT_EQ(round_to(f16, -1e9, rule), -65504);
  EXPECT_EQ(round_to(f16, infinity, rule), 65504);
  EXPECT_EQ(round_to(f16, -infinity, rule), -65504);
  EXPECT_EQ(round_to(f16, 3, rule), 3);
  EXPECT_EQ(round_to(bf16, infinity, rule), 0x1.fep127);
  EXPECT_TRUE(std::isnan(round_to(f16, nan, rule)));
}

TEST(Round, FlushedSubnormals) {
  const RoundingRule rule = {.subnormals = Subnormals::flush};
  EXPECT_EQ(bits(round_to(f16, 1023 * 0x1p-24, rule)), bits(0.0));
  EXPECT_EQ(bits(round_to(f16, -1023 * 0x1p-24, rule)), bits(-0.0));
  EXPECT_EQ(round_to(f16, 0x1p-14, rule), 0x1p-14);
  // Rounded first, then compared: 1023.5·2^-24 becomes the smallest normal number.
  EXPECT_EQ(round_to(f16, 1023.5 * 0x1p-24, rule), 0x1p-14);
  EXPECT_EQ(bits(round_to(f64, -0x1p-1074, rule)), bits(-0.0));
  EXPECT_EQ(round_to(f64, 0x1p-1022, rule), 0x1p-1022);
}

TEST(Round, NanIsCanonical) {
  const double payload = std::bit_cast<double>(std::uint64_t{0xfff0'0000'0000'0123});
  for (const DType format : {f64, f32, f16, bf16}) {
    EXPECT_EQ(bits(round_to(format, payload)), 0x7ff8'0000'0000'0000U);
  }
}

TEST(Round, Integers) {
  EXPECT_EQ(round_to(DType::i32, 0.5), 0);
  EXPECT_EQ(round_to(DType::i32, 1.5), 2);
  EXPECT_EQ(round_to(DType::i32, 2.5), 2);
  EXPECT_EQ(round_to(DType::i32, -2.5), -2);
  EXPECT_EQ(round_to(DType::i32, -2.51), -3);
  EXPECT_EQ(round_to(DType::i32, 2147483647.4), 2147483647);
  EXPECT_EQ(round_to(DType::i32, 1e10), 2147483647);
  EXPECT_EQ(round_to(DType::i32, -infinity), -2147483648.0);
  EXPECT_EQ(round_to(DType::i32, nan), 0);
  EXPECT_EQ(bits(round_to(DType::i32, -0.25)), bits(0.0));
  EXPECT_EQ(round_to(DType::u8, -3), 0);
  EXPECT_EQ(round_to(DType::u8, 254.5), 254);
  EXPECT_EQ(round_to(DType::u8, 300), 255);
  // The doubles next to 2^63 from below are 2^10 apart.
  EXPECT_EQ(round_to(DType::i64, 1e30), 9223372036854774784.0);
  EXPECT_EQ(round_to(DType::i64, -1e30), -9223372036854775808.0);
  EXPECT_EQ(round_to(DType::i64, 0x1.0000000000001p52), 0x1.0000000000001p52);
  EXPECT_EQ(round_to(DType::boolean, 0.25), 1);
  EXPECT_EQ(round_to(DType::boolean, -0.0), 0);
}

// Every pair of neighbouring magnitudes: the half-way point goes to the even pattern, what is beside it to the nearer
// one.
void check_all_midpoints(DType format, std::uint64_t infinity_bits) {
  std::vector<double> x, expected;
  for (std::uint64_t lower = 0; lower + 1 < infinity_bits; ++lower) {
    const double a = value_of(format, lower), b = value_of(format, lower + 1);
    const double middle = (a + b) / 2;
    for (const double sign : {1.0, -1.0}) {
      x.insert(x.end(), {sign * std::nextafter(middle, 0.0), sign * middle, sign * std::nextafter(middle, infinity)});
      expected.insert(expected.end(), {sign * a, sign * (lower % 2 == 0 ? a : b), sign * b});
    }
  }
  std::vector<double> y(x.size());
  round_to(format, std::span<const double>(x), std::span<double>(y));
  std::size_t wrong_scalar = 0, wrong_array = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    wrong_scalar += bits(round_to(format, x[i])) != bits(expected[i]) ? 1U : 0U;
    wrong_array += bits(y[i]) != bits(expected[i]) ? 1U : 0U;
  }
  EXPECT_EQ(x.size(), 6 * (infinity_bits - 1));
  EXPECT_EQ(wrong_scalar, 0U);
  EXPECT_EQ(wrong_array, 0U);
}

TEST(Round, EveryMidpointOfF16) { check_all_midpoints(f16, 0x7c00); }
TEST(Round, EveryMidpointOfBf16) { check_all_midpoints(bf16, 0x7f80); }

}  // namespace
}  // namespace fusecheck
