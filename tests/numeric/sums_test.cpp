// Sums by hand. Above 2^24 f32 holds even integers only, above 2^25 multiples of 4.
#include "numeric/sums.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "fusecheck/error.hpp"

namespace fusecheck::numeric {
namespace {

constexpr float big = 0x1p24F;
constexpr float infinity = std::numeric_limits<float>::infinity();

const SumOrder sequential = {.kind = SumKind::sequential};
const SumOrder reversed = {.kind = SumKind::reversed};
const SumOrder pairwise = {.kind = SumKind::pairwise};
const SumOrder block16 = {.kind = SumKind::block16};
SumOrder split_k(int parts) { return {.kind = SumKind::split_k, .parts = parts}; }
SumOrder matrix_unit(int products) { return {.kind = SumKind::matrix_unit, .unit = {.products = products}}; }

float sum_of(const std::vector<float>& x, float c, const SumOrder& order) {
  return dot(x, std::vector<float>(x.size(), 1.0F), c, order);
}

// 2^24 + 1 is a tie that goes back to 2^24; 2^24 + 3 is one that goes to 2^24 + 4.
TEST(Sums, OneBigTermFirst) {
  const std::vector<float> x = {big, 1, 1, 1};
  EXPECT_EQ(sum_of(x, 0, sequential), big);      // each 1 is lost
  EXPECT_EQ(sum_of(x, 0, reversed), big + 4);    // 3, then 2^24 + 3
  EXPECT_EQ(sum_of(x, 0, pairwise), big + 2);    // (2^24 + 1) + (1 + 1)
  EXPECT_EQ(sum_of(x, 0, block16), big + 2);     // the same tree, four zeros beside it
  EXPECT_EQ(sum_of(x, 0, split_k(2)), big + 2);  // (2^24 + 1), then + (1 + 1)
  EXPECT_EQ(sum_of(x, 0, split_k(4)), big);      // 2^24, then three times + 1
  EXPECT_EQ(sum_of(x, 0, split_k(1)), big);      // one chain
  EXPECT_EQ(sum_of(x, 0, split_k(9)), big);      // chunks of one term; five parts hold none
}

TEST(Sums, WhereTheBiasEnters) {
  const std::vector<float> x = {1, 1};
  EXPECT_EQ(sum_of(x, big, sequential), big);
  EXPECT_EQ(sum_of(x, big, reversed), big);
  EXPECT_EQ(sum_of(x, big, pairwise), big + 2);
  EXPECT_EQ(sum_of(x, big, block16), big + 2);
  EXPECT_EQ(sum_of(x, big, split_k(2)), big);
  EXPECT_EQ(sum_of(x, big, split_k(1)), big + 2);  // the chain starts at 0: 2, added to the bias
  // Two blocks of sum 3: bias + 3 -> bias + 4, + 3 = bias + 7 -> bias + 8; pairwise adds the bias to 6.
  std::vector<float> blocks(17, 0.0F);
  blocks[0] = blocks[16] = 3;
  EXPECT_EQ(sum_of(blocks, big, block16), big + 8);
  EXPECT_EQ(sum_of(blocks, big, pairwise), big + 6);
}

TEST(Sums, ChunksOfSplitK) {
  // Five terms in two parts, three and two: (2^24 + 1 + 1 -> 2^24) + (1 + 1). Two and three, or two, two and one, would
  // end with 2^24 + 3 -> 2^24 + 4.
  EXPECT_EQ(sum_of({big, 1, 1, 1, 1}, 0, split_k(2)), big + 2);
  // A chunk starts at +0, so it cannot end as -0.
  EXPECT_EQ(std::bit_cast<std::uint32_t>(sum_of({-0.0F}, -0.0F, split_k(1))), 0U);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(sum_of({-0.0F}, -0.0F, sequential)), 0x8000'0000U);
}

// Six terms split at four, the largest power of two below: ((0 + 0) + (2^24 + 1)) + (1 + 1). In threes it would be
// ((0 + 0) + 2^24) + ((1 + 1) + 1) -> 2^24 + 4.
TEST(Sums, PairwiseSplitsAtAPowerOfTwo) {
  EXPECT_EQ(sum_of({0, 0, big, 1, 1, 1}, 0, pairwise), big + 2);
  // A power of two splits in the middle: (2^24 + 1) + (1 + 1), twice: 2·(2^24 + 2).
  EXPECT_EQ(sum_of({big, 1, 1, 1, big, 1, 1, 1}, 0, pairwise), 2 * (big + 2));
}

// With a = 1 + 2^-12, a·a = 1 + 2^-11 + 2^-24, whose last bit one rounding to f32 drops (a tie, to even).
TEST(Sums, WhichOrdersFuseTheProduct) {
  const float a = 1 + 0x1p-12F, c = -(1 + 0x1p-11F);
  const std::vector<float> x = {a};
  EXPECT_EQ(dot(x, x, c, sequential), 0x1p-24F);
  EXPECT_EQ(dot(x, x, c, reversed), 0x1p-24F);
  EXPECT_EQ(dot(x, x, c, pairwise), 0);
  EXPECT_EQ(dot(x, x, c, block16), 0);
  EXPECT_EQ(dot(x, x, c, split_k(1)), 0);  // fused into +0, then rounded
}

TEST(Sums, NoTermsLeaveTheBias) {
  for (const SumOrder& order : {sequential, reversed, pairwise, block16, split_k(4), matrix_unit(8)}) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(sum_of({}, -0.0F, order)), 0x8000'0000U);
    EXPECT_EQ(sum({}, order), 0);
  }
}

// Groups of two products: 1 + 2·2^-24 in one step is exact; then 2^-24 alone is cut by the final rounding.
TEST(Sums, MatrixUnitTakesGroups) {
  const float t = 0x1p-12F;
  const std::vector<float> x = {t, t, t};
  EXPECT_EQ(dot(x, x, 1, matrix_unit(2)), 1 + 0x1p-23F);
  EXPECT_EQ(dot(x, x, 1, matrix_unit(1)), 1);
  EXPECT_EQ(dot(x, x, 1, sequential), 1);
}

TEST(Sums, SpecialValues) {
  for (const SumOrder& order : {sequential, reversed, pairwise, block16, split_k(2), matrix_unit(8)}) {
    EXPECT_EQ(sum_of({1, infinity}, 0, order), infinity);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(sum_of({infinity, 1, -infinity}, 0, order)), 0x7fc0'0000U);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(sum_of({1, 2}, -std::nanf("5"), order)), 0x7fc0'0000U);
  }
}

// f16 near 2048 has spacing 2: 2048 + 1 is a tie that goes to the even 2048.
TEST(Sums, F16Accumulation) {
  const std::vector<float> ones(3, 1.0F);
  EXPECT_EQ(dot_f16(ones, ones, 2048), 2048);
  EXPECT_EQ(sum(std::vector<float>{2048, 1, 1, 1}, sequential, DType::f16), 2048);
  EXPECT_EQ(sum(std::vector<float>{2048, 1, 1, 1}, sequential, DType::f32), 2051);
  EXPECT_EQ(sum(std::vector<float>{2048, 1, 1, 1}, pairwise, DType::f16), 2050);
  EXPECT_EQ(dot_f16(std::vector<float>{256}, std::vector<float>{256}, 0), infinity);
  EXPECT_EQ(dot_f16(std::vector<float>{0x1p-24F}, std::vector<float>{0x1p-24F}, 65504), 65504);
  // Exactly a tie, and a tie plus the last bit of the product: 2^-11·(1 + 2^-10) fused into 1.
  EXPECT_EQ(dot_f16(std::vector<float>{0x1p-11F}, std::vector<float>{1}, 1), 1);
  EXPECT_EQ(dot_f16(std::vector<float>{0x1p-11F}, std::vector<float>{1 + 0x1p-10F}, 1), 1 + 0x1p-10F);
}

// a·b = 2^-11·(1 - 2^-46) with f32 operands: 1 + 2^-10 + a·b lies below the tie 1 + 3·2^-11 by 2^-57, which a sum
// rounded to nearest in f64 would hit, and then go to 1 + 2^-9.
TEST(Sums, F16AccumulationRoundsOnce) {
  const float a = 0x1p-11F * (1 + 0x1p-23F), b = 1 - 0x1p-23F;
  EXPECT_EQ(dot_f16(std::vector<float>{a}, std::vector<float>{b}, 1 + 0x1p-10F), 1 + 0x1p-10F);
  EXPECT_EQ(dot_f16(std::vector<float>{-a}, std::vector<float>{b}, -(1 + 0x1p-10F)), -(1 + 0x1p-10F));
}

TEST(Sums, ExactSumKeepsWhatDoubleLoses) {
  const DoubleDouble cancelled = exact_sum(std::vector<double>{1, 0x1p-60, -1});
  EXPECT_EQ(cancelled.high, 0x1p-60);
  EXPECT_EQ(cancelled.low, 0);
  const DoubleDouble both = exact_sum(std::vector<double>{0x1p-60, 1, 0x1p-61});
  EXPECT_EQ(both.high, 1);
  EXPECT_EQ(both.low, 0x1.8p-60);
  const DoubleDouble ones = exact_sum(std::vector<double>{0x1p53, 1, 1, 1});
  EXPECT_EQ(ones.high + ones.low, 0x1p53 + 4);  // 2^53 + 3 is a tie between + 2 and + 4
  EXPECT_EQ(ones.high - 0x1p53 + ones.low, 3);
  EXPECT_EQ(exact_sum({}).high, 0);
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(exact_sum(std::vector<double>{1, inf, 2}).high, inf);
  EXPECT_EQ(exact_sum(std::vector<double>{1, inf, 2}).low, 0);
  EXPECT_TRUE(std::isnan(exact_sum(std::vector<double>{inf, -inf}).high));
}

TEST(Sums, MisuseIsAnInternalError) {
  EXPECT_THROW(dot(std::vector<float>{1, 2}, std::vector<float>{1}, 0, sequential), Error);
  EXPECT_THROW(sum_of({1}, 0, split_k(0)), Error);
  EXPECT_THROW(sum(std::vector<float>{1}, sequential, DType::bf16), Error);
}

}  // namespace
}  // namespace fusecheck::numeric
