// Slices that stand out: numbers worked out by hand.
#include "verify/flipped_operands.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace fusecheck::verify {
namespace {

// 48 rows of 4; rows 5, 17 and 40 hold 4, 8 and 2, on average 14/48. The axis of 4 is too short to count.
TEST(LargestLump, OfALongAxis) {
  std::vector<double> squares(48 * 4, 0.0);
  for (std::size_t i = 0; i < 4; ++i) {
    squares[5 * 4 + i] = 1;
    squares[17 * 4 + i] = 2;
    squares[40 * 4 + i] = 0.5;
  }
  EXPECT_DOUBLE_EQ(largest_lump({48, 4}, squares), 8 - 2 * 14.0 / 48);
}

// 16 x 32: row 3 holds 31·1/4 and the 1 of column 7, 8.75; column 7 holds 16, all columns 23.75. The same everywhere is
// no lump.
TEST(LargestLump, OfTheAxisWhereItIsMost) {
  std::vector<double> squares(16 * 32, 0.0);
  for (std::size_t i = 0; i < 32; ++i) squares[3 * 32 + i] = 0.25;
  for (std::size_t i = 0; i < 16; ++i) squares[i * 32 + 7] = 1;
  EXPECT_DOUBLE_EQ(largest_lump({16, 32}, squares), 16 - 2 * 23.75 / 32);
  EXPECT_DOUBLE_EQ(largest_lump({16, 32}, std::vector<double>(16 * 32, 0.25)), 0);
}

TEST(LargestLump, NoneOfShortAxes) { EXPECT_EQ(largest_lump({15, 2}, std::vector<double>(30, 1.0)), 0); }

}  // namespace
}  // namespace fusecheck::verify
