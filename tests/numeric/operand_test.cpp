// What a matrix unit keeps of f32 operands.
#include "numeric/operand.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "fusecheck/philox.hpp"

namespace fusecheck::numeric {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// With 11 fraction bits the spacing above 1 is 2^-11, and of subnormal f32 values it is 2^-126-11 = 2^-137.
TEST(Operand, NearestTiesAwayFromZero) {
  EXPECT_EQ(rounded_operand(1 + 0x1p-11, 11), 1 + 0x1p-11);
  EXPECT_EQ(rounded_operand(1 + 0x1p-12, 11), 1 + 0x1p-11);
  EXPECT_EQ(rounded_operand(-1 - 0x1p-12, 11), -1 - 0x1p-11);
  EXPECT_EQ(rounded_operand(1 + 0x1p-12 - 0x1p-23, 11), 1);
  EXPECT_EQ(rounded_operand(1 + 0x1p-11, 10), 1 + 0x1p-10);
  EXPECT_EQ(rounded_operand(2 - 0x1p-23, 11), 2);
  EXPECT_EQ(rounded_operand(0x1p-138, 11), 0x1p-137);
  EXPECT_EQ(rounded_operand(0x1p-138 - 0x1p-149, 11), 0);
  EXPECT_EQ(rounded_operand(0x1.fffffep127, 11), infinity);
}

TEST(Operand, SpecialValuesStay) {
  EXPECT_EQ(rounded_operand(-infinity, 11), -infinity);
  EXPECT_TRUE(std::isnan(rounded_operand(std::nan(""), 11)));
  EXPECT_TRUE(std::signbit(rounded_operand(-0.0, 11)));
}

// The same on patterns: half a unit is added to the magnitude, and what is below a unit dropped.
TEST(Operand, IsWhatDroppingBitsOfThePatternGives) {
  const Philox rng(1, "operand");
  for (std::uint64_t i = 0; i < 1'000'000; ++i) {
    const std::uint32_t pattern = rng.word(i);
    const auto value = static_cast<double>(std::bit_cast<float>(pattern));
    if (!std::isfinite(value)) continue;
    for (const int bits : {10, 11}) {
      const std::uint32_t unit = 1U << (23 - bits);
      const float expected = std::bit_cast<float>((pattern + unit / 2) & ~(unit - 1));
      ASSERT_EQ(rounded_operand(value, bits), static_cast<double>(expected)) << pattern << " " << bits;
    }
  }
}

}  // namespace
}  // namespace fusecheck::numeric
