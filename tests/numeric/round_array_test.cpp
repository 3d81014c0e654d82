// The array functions against the scalar one, bit for bit.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "fusecheck/dtype.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/philox.hpp"

namespace fusecheck {
namespace {

constexpr DType floating[] = {DType::f64, DType::f32, DType::f16, DType::bf16};

// A third raw patterns, a third with exponents around those of the narrow formats, a third of these cut to few bits, so
// that ties occur.
double random_double(const Philox& stream, std::uint64_t i) {
  const PhiloxBlock block = stream.block(i);
  std::uint64_t pattern = (std::uint64_t{block[0]} << 32) | block[1];
  if (i % 3 == 0) return std::bit_cast<double>(pattern);
  const std::uint64_t exponent = 1023 - 160 + block[2] % 320;
  pattern = (pattern & 0x800f'ffff'ffff'ffffU) | (exponent << 52);
  if (i % 3 == 1) pattern &= ~std::uint64_t{0} << (20 + block[3] % 32);
  return std::bit_cast<double>(pattern);
}

std::vector<double> doubles(std::uint64_t n) {
  const Philox stream(20, "round_array_test");
  std::vector<double> x;
  for (std::uint64_t i = 0; i < n; ++i) x.push_back(random_double(stream, i));
  return x;
}

std::size_t differences(const std::vector<double>& a, const std::vector<double>& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    count += std::bit_cast<std::uint64_t>(a[i]) != std::bit_cast<std::uint64_t>(b[i]) ? 1U : 0U;
  }
  return count;
}

TEST(RoundArray, EqualsTheScalarFunctionOnDoubles) {
  const std::vector<double> x = doubles(300000);
  for (const DType format : floating) {
    std::vector<double> expected, y(x.size()), in_place = x;
    for (const double v : x) expected.push_back(round_to(format, v));
    round_to(format, std::span<const double>(x), std::span<double>(y));
    round_to(format, std::span<const double>(in_place), std::span<double>(in_place));
    EXPECT_EQ(differences(y, expected), 0U) << name_of(format);
    EXPECT_EQ(differences(in_place, expected), 0U) << name_of(format);
  }
}

TEST(RoundArray, EqualsTheScalarFunctionOnFloats) {
  const Philox stream(21, "round_array_test");
  std::vector<float> x;
  for (std::uint64_t i = 0; i < 300000; ++i) {
    const std::uint32_t mask = i % 2 == 0 ? ~0U : ~0U << (8 + i % 11);
    x.push_back(std::bit_cast<float>(stream.word(i) & mask));
  }
  for (const DType format : floating) {
    std::vector<float> y(x.size()), in_place = x;
    round_to(format, std::span<const float>(x), std::span<float>(y));
    round_to(format, std::span<const float>(in_place), std::span<float>(in_place));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::uint64_t expected = bits_of(DType::f32, round_to(format, static_cast<double>(x[i])));
      wrong += std::bit_cast<std::uint32_t>(y[i]) != expected ? 1U : 0U;
      wrong += std::bit_cast<std::uint32_t>(in_place[i]) != expected ? 1U : 0U;
    }
    EXPECT_EQ(wrong, 0U) << name_of(format);
  }
}

TEST(RoundArray, PatternsEqualTheScalarFunctions) {
  const Philox stream(22, "round_array_test");
  std::vector<float> x;
  for (std::uint64_t i = 0; i < 300003; ++i) {
    const std::uint32_t exponent = 127 - 30 + stream.word(2 * i + 1) % 50;  // around the subnormals of f16 and beyond
    const std::uint32_t mask = i % 2 == 0 ? ~0U : ~0U << (8 + i % 11);
    const std::uint32_t bits = stream.word(2 * i) & mask;
    x.push_back(std::bit_cast<float>(i % 3 == 0 ? bits : (bits & 0x807f'ffffU) | exponent << 23));
  }
  for (const DType format : {DType::f16, DType::bf16}) {
    std::vector<std::byte> patterns(2 * x.size());
    store_rounded(format, x, patterns);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::uint64_t ours =
          std::to_integer<std::uint64_t>(patterns[2 * i]) | std::to_integer<std::uint64_t>(patterns[2 * i + 1]) << 8;
      wrong += ours != bits_of(format, round_to(format, static_cast<double>(x[i]))) ? 1U : 0U;
    }
    EXPECT_EQ(wrong, 0U) << name_of(format);
  }
}

TEST(RoundArray, EveryPatternHasItsValue) {
  std::vector<std::byte> patterns;
  for (unsigned i = 0; i < 65536 + 5; ++i) {
    patterns.push_back(static_cast<std::byte>(i & 0xffU));
    patterns.push_back(static_cast<std::byte>(i >> 8 & 0xffU));
  }
  for (const DType format : {DType::f16, DType::bf16}) {
    std::vector<float> y(patterns.size() / 2);
    load_values(format, patterns, y);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double expected = value_of(format, i & 0xffffU);
      const bool same =
          std::bit_cast<std::uint64_t>(static_cast<double>(y[i])) == std::bit_cast<std::uint64_t>(expected);
      wrong += same || (expected != expected && y[i] != y[i]) ? 0U : 1U;
    }
    EXPECT_EQ(wrong, 0U) << name_of(format);
  }
}

TEST(RoundArray, TruthsAreNumbersOtherThanZero) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {0,        -0.0F,     1,   -1,  0x1p-149F, -0x1p-149F, 0x1.fffffep127F,
                                infinity, -infinity, nan, -nan};
  std::vector<std::byte> bytes(x.size());
  store_truths(x, bytes);
  const std::vector<int> expected = {0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0};
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(std::to_integer<int>(bytes[i]), expected[i]) << x[i];
  EXPECT_THROW(store_truths(x, std::span(bytes).first(2)), Error);
}

TEST(RoundArray, PatternsAreRefusedWhereTheyDoNotFit) {
  std::vector<float> x(3);
  std::vector<std::byte> six(6), four(4);
  EXPECT_THROW(store_rounded(DType::f32, x, six), Error);
  EXPECT_THROW(store_rounded(DType::f16, x, four), Error);
  EXPECT_THROW(load_values(DType::bf16, four, x), Error);
}

TEST(RoundArray, OtherRulesAndIntegers) {
  const std::vector<double> x = doubles(3000);
  const std::vector<RoundingRule> rules = {{.direction = Rounding::odd},
                                           {.overflow = Overflow::saturate},
                                           {.subnormals = Subnormals::flush},
                                           {.direction = Rounding::up, .overflow = Overflow::saturate}};
  for (const DType format : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::i32, DType::u8, DType::boolean}) {
    for (const RoundingRule& rule : rules) {
      std::vector<double> expected, y(x.size());
      for (const double v : x) expected.push_back(round_to(format, v, rule));
      round_to(format, std::span<const double>(x), std::span<double>(y), rule);
      EXPECT_EQ(differences(y, expected), 0U) << name_of(format);
    }
  }
}

// Lengths that leave every remainder of a vector loop.
TEST(RoundArray, ShortArrays) {
  for (std::size_t n = 0; n < 20; ++n) {
    const std::vector<double> x(n, 1 + 0x1.8p-10);
    std::vector<double> y(n + 1, 7.0);
    round_to(DType::f16, std::span<const double>(x), std::span<double>(y).first(n));
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(y[i], 1 + 0x1p-9);  // the tie 1.5·2^-10 goes to the even 2·2^-10
    EXPECT_EQ(y[n], 7.0);
  }
}

TEST(RoundArray, SizesMustAgree) {
  std::vector<double> x(3), y(2);
  EXPECT_THROW(round_to(DType::f16, std::span<const double>(x), std::span<double>(y)), Error);
}

}  // namespace
}  // namespace fusecheck
