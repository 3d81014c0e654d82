#include "numeric/descending.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "fusecheck/error.hpp"
#include "fusecheck/philox.hpp"
#include "numeric/descending_loops.hpp"
#include "numeric/functions_dispatch.hpp"

namespace fusecheck::numeric {
namespace {

TEST(Descending, LargestMagnitudeFirstAndEqualOnesInTheirOrder) {
  std::vector<float> x = {1, -3, 0, 3, 0x1p-140F, -0x1p100F, 2, -2, -0.0F};
  sort_descending(x);
  const std::vector<float> expected = {-0x1p100F, -3, 3, 2, -2, 1, 0x1p-140F, 0, -0.0F};
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

std::vector<float> added(const std::vector<double>& terms, std::size_t length, std::vector<float> totals) {
  add_rows_descending(terms, length, totals);
  return totals;
}

// f32 has steps of 2 from 2^24 on, so 2^24 + 1 is a tie that goes back to 2^24.
TEST(Descending, AddsEachRowTheLargestTermFirst) {
  // 2^24, +1, +1 stays; as given it would be 2^24 + 2. The second row is exact in any order.
  EXPECT_EQ(added({1, 1, 0x1p24, 3, -0.5, 4}, 3, {0, 0.25F}), (std::vector<float>{0x1p24F, 6.75F}));
}

TEST(Descending, AddsEqualMagnitudesInTheirOrder) {
  // 1 + 2^24 = 2^24, - 2^24 = 0, + 1 = 1; the other way round 1 - 2^24 is exact, and the sum 2.
  EXPECT_EQ(added({1, 0x1p24, -0x1p24}, 3, {1}), std::vector<float>{1});
  EXPECT_EQ(added({1, -0x1p24, 0x1p24}, 3, {1}), std::vector<float>{2});
  // Equal as f32, though not as f64. The other way round the first sum is rounded to -2^24, and the second is 0.
  EXPECT_EQ(added({0x1p24, -0x1p24 - 0x1p-10}, 2, {0}), std::vector<float>{-0x1p-10F});
}

TEST(Descending, AddsWhatIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<float> sums =
      added({1, infinity, -infinity, std::numeric_limits<double>::quiet_NaN(), -infinity, 1}, 2, {0, 0, 0});
  EXPECT_EQ(sums[0], std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(sums[1]));
  EXPECT_EQ(sums[2], -std::numeric_limits<float>::infinity());
}

TEST(Descending, AddsNothing) {
  EXPECT_EQ(added({}, 0, {1, 2}), (std::vector<float>{1, 2}));
  EXPECT_EQ(added({}, 3, {}), std::vector<float>{});
  EXPECT_THROW(added({1, 2}, 3, {0}), Error);
}

// By std::sort, for lengths around powers of two, around eight rows, and around where the algorithm changes.
TEST(Descending, AddsInTheOrderOfStandardSort) {
  const Philox philox(1, "terms");
  for (const std::size_t length : {1U, 2U, 3U, 5U, 8U, 9U, 16U, 17U, 49U, 144U, 255U, 1024U, 1025U}) {
    for (const std::size_t rows : {1U, 7U, 8U, 9U, 17U}) {
      std::vector<double> terms(length * rows);
      std::vector<float> totals(rows), expected(rows);
      // Few magnitudes, so that many are equal.
      for (std::size_t i = 0; i < terms.size(); ++i) {
        terms[i] = std::ldexp(philox.normal(i), static_cast<int>(philox.integer(i, 0, 30)));
        if (i % 3 == 0) terms[i] = static_cast<double>(philox.integer(i, -9, 9));
      }
      for (std::size_t r = 0; r < rows; ++r) {
        totals[r] = expected[r] = static_cast<float>(r) / 3;
        const auto row = std::span(terms).subspan(r * length, length);
        std::vector<std::pair<float, std::size_t>> order(length);
        for (std::size_t k = 0; k < length; ++k) order[k] = {-std::fabs(static_cast<float>(row[k])), k};
        std::sort(order.begin(), order.end());
        for (const auto& [magnitude, k] : order) {
          expected[r] = static_cast<float>(static_cast<double>(expected[r]) + row[k]);
        }
      }
      EXPECT_EQ(added(terms, length, totals), expected) << length << " terms, " << rows << " rows";
    }
  }
}

// Every instruction set that is here, on the same rows.
TEST(Descending, EqualOnEveryInstructionSet) {
  constexpr std::size_t length = 100;
  const Philox philox(2, "terms");
  std::vector<double> terms(length * descending_rows);
  std::vector<DescendingKeys> keys(length);
  for (std::size_t i = 0; i < terms.size(); ++i) terms[i] = philox.normal(i);
  const auto sums_by = [&](const DescendingLoops& loops) {
    std::vector<float> sums(descending_rows, 1);
    loops.add_rows(terms.data(), length, keys.data(), sums.data());
    return sums;
  };
  const std::vector<float> baseline = sums_by(descending_loops_here());
  if (function_level(1).available()) {
    EXPECT_EQ(sums_by(descending_loops_avx2()), baseline);
  }
  if (function_level(2).available()) {
    EXPECT_EQ(sums_by(descending_loops_avx512()), baseline);
  }
}

}  // namespace
}  // namespace fusecheck::numeric
