// The largest slices of a tensor: numbers worked out by hand.
#include "verify/flipped_operands.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace fusecheck::verify {
namespace {

// 48 rows of 4: three rows may go. Rows 5, 17 and 40 hold 4, 8 and 2, row 20 holds 1: 14. Columns: axis of 4, too
// short.
TEST(LargestSlices, ThreeOfALongAxis) {
  std::vector<double> squares(48 * 4, 0.0);
  for (std::size_t i = 0; i < 4; ++i) {
    squares[5 * 4 + i] = 1;
    squares[17 * 4 + i] = 2;
    squares[40 * 4 + i] = 0.5;
    squares[20 * 4 + i] = 0.25;
  }
  EXPECT_DOUBLE_EQ(largest_slices({48, 4}, squares), 14);
}

// 16 x 32: one row (all 32 of row 3, a quarter each: 8) or two columns (16 of column 7, one each; 16 of column 8, a
// half each; row 3 adds 1/4 to neither, as it has its own value there: 16 + 8).
TEST(LargestSlices, TheAxisWhereItIsMost) {
  std::vector<double> squares(16 * 32, 0.0);
  for (std::size_t i = 0; i < 32; ++i) squares[3 * 32 + i] = 0.25;
  for (std::size_t i = 0; i < 16; ++i) {
    squares[i * 32 + 7] = 1;
    squares[i * 32 + 8] = 0.5;
  }
  EXPECT_DOUBLE_EQ(largest_slices({16, 32}, squares), 24);
}

TEST(LargestSlices, NoneOfShortAxes) { EXPECT_EQ(largest_slices({15, 2}, std::vector<double>(30, 1.0)), 0); }

}  // namespace
}  // namespace fusecheck::verify
