#include "numeric/descending.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace fusecheck::numeric {
namespace {

TEST(Descending, LargestMagnitudeFirstAndEqualOnesInTheirOrder) {
  std::vector<double> x = {1, -3, 0, 3, 0x1p-140, -0x1p100, 2, -2, -0.0};
  sort_descending(x);
  const std::vector<double> expected = {-0x1p100, -3, 3, 2, -2, 1, 0x1p-140, 0, -0.0};
  EXPECT_EQ(x, expected);
  EXPECT_FALSE(std::signbit(x[7]));
  EXPECT_TRUE(std::signbit(x[8]));
}

TEST(Descending, InfinityAndNanComeFirst) {
  std::vector<float> x = {1, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(), -7};
  sort_descending(x);
  EXPECT_TRUE(std::isnan(x[0]));
  EXPECT_TRUE(std::isinf(x[1]));
  EXPECT_EQ(x[2], -7);
  EXPECT_EQ(x[3], 1);
}

TEST(Descending, Nothing) {
  std::vector<float> x;
  sort_descending(x);
  EXPECT_TRUE(x.empty());
}

// Each row for itself: the second has the larger terms.
TEST(Descending, SortsEachRow) {
  std::vector<double> x = {1, -3, 2, -0.0, 40, -50, 0, 40};
  sort_rows_descending(x, 4);
  EXPECT_EQ(x, (std::vector<double>{-3, 2, 1, -0.0, -50, 40, 40, 0}));
  std::vector<double> none;
  sort_rows_descending(none, 0);
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace fusecheck::numeric
