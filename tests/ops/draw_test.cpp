// Generators that several ops share.
#include "family/draw.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "fusecheck/philox.hpp"

namespace fusecheck::family {
namespace {

// Sums of 4,096 terms: one of nine is kept and a fifth of these is 0, so that of 1,000 columns about 89 have a number
// at an inner term, sd 9. At the first and the last each has one.
TEST(DrawThinned, KeepsTheFirstAndTheLastTerm) {
  const PhiloxReader rng(Philox(1, "thinned"));
  const Shape shape = {4096, 1000};
  const Attrs attrs;
  const DrawContext draw{DataSet::exact, rng, shape, attrs, DType::f16, DType::f16};
  const auto numbers = [&](std::int64_t term) {
    int count = 0;
    for (std::int64_t column = 0; column < 1000; ++column) {
      const double value = draw_thinned(draw, term * 1000 + column, term, 4096);
      EXPECT_LE(std::abs(value), 2);
      count += value != 0 ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(numbers(0), 1000);
  EXPECT_EQ(numbers(4095), 1000);
  for (const std::int64_t term : {std::int64_t{1}, std::int64_t{2000}, std::int64_t{4094}}) {
    EXPECT_GT(numbers(term), 89 - 45);
    EXPECT_LT(numbers(term), 89 + 45);
  }
}

// Shorter sums are not thinned: four of five numbers, wherever they stand.
TEST(DrawThinned, LeavesShortSumsAlone) {
  const PhiloxReader rng(Philox(1, "thinned"));
  const Shape shape = {511, 1000};
  const Attrs attrs;
  const DrawContext draw{DataSet::exact, rng, shape, attrs, DType::f16, DType::f16};
  for (const std::int64_t term : {std::int64_t{0}, std::int64_t{510}}) {
    int count = 0;
    for (std::int64_t i = 0; i < 1000; ++i) count += draw_thinned(draw, term * 1000 + i, term, 511) != 0 ? 1 : 0;
    EXPECT_GT(count, 800 - 65);  // five standard deviations
    EXPECT_LT(count, 800 + 65);
  }
}

}  // namespace
}  // namespace fusecheck::family
