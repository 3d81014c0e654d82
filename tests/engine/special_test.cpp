// Operands that are not finite, operands outside the range of a kernel, sums at the edge of 32 bits.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "engine/matrix_unit_range.hpp"
#include "engine/naive.hpp"
#include "engine/problems.hpp"

namespace fusecheck::engine {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr Direction kDirections[] = {Direction::forward, Direction::data_gradient, Direction::weight_gradient};

void expect_naive(const Contraction& problem, const std::vector<float>& a, const std::vector<float>& b,
                  const NamedArithmetic& named) {
  for (const Simd simd : available_paths()) {
    const std::vector<float> got = contract(problem, a, b, {}, named.arithmetic, {2, simd});
    for (std::size_t i = 0; i < got.size(); ++i) {
      const float want = naive::value(problem, a, b, {}, static_cast<std::int64_t>(i), named.arithmetic);
      ASSERT_EQ(std::bit_cast<std::uint32_t>(got[i]), std::bit_cast<std::uint32_t>(want))
          << named.name << ", " << name_of(simd) << ", output " << i << ": " << got[i] << ", not " << want;
    }
  }
}

// x = 1 and w = Inf with one pixel of padding around 2x2: the padding must not make NaN. Every output sums Inf.
TEST(Special, InfiniteWeightsMeetPaddingWithoutNan) {
  const Contraction problem{
      Direction::forward,
      {.h = 2, .w = 2, .kh = 3, .kw = 3, .pad_top = 1, .pad_left = 1, .pad_bottom = 1, .pad_right = 1}};
  const std::vector<float> x(4, 1.0F), w(9, kInf);
  for (const Simd simd : available_paths()) {
    EXPECT_EQ(contract(problem, x, w, {}, {}, {1, simd}), std::vector<float>(4, kInf));
    EXPECT_EQ(contract_f64(problem, std::vector<double>(4, 1.0), std::vector<double>(9, HUGE_VAL), {}, {1, simd}),
              std::vector<double>(4, HUGE_VAL));
    EXPECT_EQ(absolute_sum(problem, x, w, {}, {1, simd}), std::vector<float>(4, kInf));
  }
}

// A NaN reaches the outputs that use it and no others: x[0][0] of 4x4, 3x3 without padding, is used by output (0,0)
// only.
TEST(Special, NanIsCanonicalAndStaysWhereItIsUsed) {
  const Contraction problem{Direction::forward, {.h = 4, .w = 4, .kh = 3, .kw = 3}};
  std::vector<float> x(16, 1.0F);
  x[0] = -std::bit_cast<float>(0x7f812345u);  // a signalling NaN with a payload
  for (const NamedArithmetic& named : all_arithmetic()) {
    for (const Simd simd : available_paths()) {
      const std::vector<float> y = contract(problem, x, std::vector<float>(9, 1.0F), {}, named.arithmetic, {1, simd});
      EXPECT_EQ(std::bit_cast<std::uint32_t>(y[0]), 0x7fc00000u) << named.name << name_of(simd);
      EXPECT_EQ(y[1], 9.0F);
      EXPECT_EQ(y[2], 9.0F);
      EXPECT_EQ(y[3], 9.0F);
    }
  }
}

TEST(Special, OperandsThatAreNotFiniteEqualTheNaiveEvaluation) {
  for (const NamedGeometry& g : ragged_geometries()) {
    if (g.name == "long" || g.name == "dilated") continue;
    for (const Direction direction : kDirections) {
      const Contraction problem{direction, g.geometry};
      for (const NamedArithmetic& named : all_arithmetic()) {
        if (named.arithmetic.k_order != KOrder::c_kh_kw) continue;
        SCOPED_TRACE(g.name);
        std::vector<float> a = drawn(problem.a_shape(), 1, named.operands);
        std::vector<float> b = drawn(problem.b_shape(), 2, named.operands);
        a[a.size() / 2] = kNan;
        a.back() = -kInf;
        b[b.size() / 3] = kInf;
        b[b.size() * 2 / 3] = kNan;
        expect_naive(problem, a, b, named);
      }
    }
  }
}

// f32 overflow in the order of the sum: max + max is Inf, and stays Inf when -max comes later.
TEST(Special, OverflowHappensInOrder) {
  const float most = std::numeric_limits<float>::max();
  const Contraction problem{Direction::forward, {.c = 3}};
  const std::vector<float> x = {most, most, -most}, w(3, 1.0F);
  for (const Simd simd : available_paths()) {
    EXPECT_EQ(contract(problem, x, w, {}, {}, {1, simd})[0], kInf);
    EXPECT_EQ(contract(problem, x, w, {}, {.sum = {.kind = SumKind::reversed}}, {1, simd})[0], most);
  }
}

// Sixteen products (2 - 2^-10)^2 = 4 - 2^-8 + 2^-20 and c = their earlier sum: with F = 25 the aligned products alone
// make 2^31 - 2^21 + 2^9, and c adds to that beyond 2^31. Derived for two steps: each adds 16·(4 - 2^-8 + 2^-20) = 64 -
// 2^-4 + 2^-16.
//   step 1: M = 0 (exponents of the products are 0 + 0), the sum is a multiple of 2^-16, 22 bits: exact in f32.
//   step 2: c has exponent 5, so M = 5 and products are cut to multiples of 2^-20, which they are: 128 - 2^-3 + 2^-15.
// With c = 1.99 before step 1, M stays 0 and products + c pass 2^31: 64 - 2^-4 + 2^-16 + c, cut to 24 bits (spacing
// 2^-17).
TEST(Special, SumsOfAMatrixUnitPastThirtyTwoBits) {
  const float most = 2.0F - 0x1p-10F;
  const Arithmetic h100{
      .sum = {.kind = SumKind::matrix_unit, .unit = {.products = 16, .fraction_bits = 25, .min_exponent = -133}}};
  const Contraction one{Direction::forward, {.c = 16}}, two{Direction::forward, {.c = 32}};
  const std::vector<float> x(32, most);
  const float c = 0x1.fffffep0F;  // 2 - 2^-23; sum 65.9375 + 2^-16 + ... - 2^-23, toward zero: 66 - 2^-4 + 2^-17
  const float negative_c = -c;
  for (const Simd simd : available_paths()) {
    const std::span<const float> all(x), half = all.first(16);
    EXPECT_EQ(contract(one, half, half, {}, h100, {1, simd})[0], 64.0F - 0x1p-4F + 0x1p-16F);
    EXPECT_EQ(contract(two, all, all, {}, h100, {1, simd})[0], 128.0F - 0x1p-3F + 0x1p-15F);
    EXPECT_EQ(contract(one, half, half, std::span(&c, 1), h100, {1, simd})[0], 66.0F - 0x1p-4F + 0x1p-17F);
    std::vector<float> minus(16, -most);
    EXPECT_EQ(contract(one, half, minus, std::span(&negative_c, 1), h100, {1, simd})[0], -(66.0F - 0x1p-4F + 0x1p-17F));
  }
}

// One FMA c + x·w in f16 where rounding to f32 first gives the other neighbour. 1417·185 = 2^18 + 1, 1971·133 = 2^18
// - 1.
//   1 + (2^18+1)·2^-29 = 1 + 2^-11 + 2^-29 lies above the tie 1 + 2^-11: 1 + 2^-10. f32 drops the 2^-29, and the tie
//   goes to 1. 1 + 2^-10 + (2^18-1)·2^-29 lies below the tie 1 + 2^-10 + 2^-11: 1 + 2^-10; by way of f32 it would be 1
//   + 2^-9. 2^-15 + (2^18+1)·2^-43 lies above the tie 2^-15 + 2^-25 of the subnormals, spaced by 2^-24: 2^-15 + 2^-24.
TEST(Special, StepsInHalfPrecisionRoundOnce) {
  struct Step {
    float x, w, c, want;
  };
  constexpr Step kSteps[] = {
      {1417 * 0x1p-15F, 185 * 0x1p-14F, 1.0F, 1.0F + 0x1p-10F},
      {-1417 * 0x1p-15F, 185 * 0x1p-14F, -1.0F, -1.0F - 0x1p-10F},
      {1971 * 0x1p-15F, 133 * 0x1p-14F, 1.0F + 0x1p-10F, 1.0F + 0x1p-10F},
      {1971 * 0x1p-15F, -133 * 0x1p-14F, -1.0F - 0x1p-10F, -1.0F - 0x1p-10F},
      {1417 * 0x1p-21F, 185 * 0x1p-22F, 0x1p-15F, 0x1p-15F + 0x1p-24F},
      {1417 * 0x1p-21F, -185 * 0x1p-22F, -0x1p-15F, -0x1p-15F - 0x1p-24F},
      {256.0F, 256.0F, -16.0F, kInf},      // 65504 is the largest f16; from 65520 on the result is infinite
      {256.0F, 255.0F, 239.0F, 65504.0F},  // 65519
      {0x1p-12F, 0x1p-13F, 0.0F, 0.0F},    // 2^-25, a tie between 0 and 2^-24
      {0x1p-12F, 0x1.8p-13F, 0.0F, 0x1p-24F},
      {1.0F, -1.0F, 1.0F, 0.0F},
  };
  const Arithmetic half{.accumulate = DType::f16};
  for (const Step& step : kSteps) {
    for (const std::int64_t columns : {1, 40}) {  // the narrow and the wide kernel
      const Contraction problem{Direction::forward, {.oc = columns}};
      const std::vector<float> w(static_cast<std::size_t>(columns), step.w);
      const std::vector<float> c(static_cast<std::size_t>(columns), step.c);
      for (const Simd simd : available_paths()) {
        for (const float y : contract(problem, std::span(&step.x, 1), w, c, half, {1, simd})) {
          ASSERT_EQ(std::bit_cast<std::uint32_t>(y), std::bit_cast<std::uint32_t>(step.want))
              << step.c << " + " << step.x << " * " << step.w << " on " << name_of(simd) << ": " << y;
        }
      }
    }
  }
}

// Three products -0 and the bias -0. Chains and the pairwise tree only add -0 to -0; block16 adds +0 for the missing
// products, split_k starts its chunks from +0, and an empty sum of a matrix unit is +0.
TEST(Special, SignsOfZeroFollowTheOrder) {
  const Contraction problem{Direction::forward, {.c = 3}};
  const std::vector<float> x(3, -0.0F), w(3, 1.0F);
  const float bias = -0.0F;
  const auto negative = [&](const Arithmetic& arithmetic, Simd simd) {
    return std::signbit(contract(problem, x, w, std::span(&bias, 1), arithmetic, {1, simd})[0]);
  };
  for (const Simd simd : available_paths()) {
    EXPECT_TRUE(negative({}, simd));
    EXPECT_TRUE(negative({.sum = {.kind = SumKind::reversed}}, simd));
    EXPECT_TRUE(negative({.sum = {.kind = SumKind::pairwise}}, simd));
    EXPECT_TRUE(negative({.accumulate = DType::f16}, simd));
    EXPECT_FALSE(negative({.sum = {.kind = SumKind::block16}}, simd));
    EXPECT_FALSE(negative({.sum = {.kind = SumKind::split_k, .parts = 2}}, simd));
    EXPECT_FALSE(negative({.sum = {.kind = SumKind::matrix_unit}}, simd));
  }
}

TEST(Special, KernelsOfMatrixUnitsTakeTheirRangeOnly) {
  const MatrixUnit unit{};
  const auto fits = [&](float a, float b) { return kernels_fit(unit, std::span(&a, 1), std::span(&b, 1), {}); };
  EXPECT_TRUE(fits(65504.0F, 0x1p-24F));  // the largest and the smallest f16
  EXPECT_TRUE(fits(0x1p-24F, 0x1p-24F));
  EXPECT_TRUE(fits(0.0F, -0.0F));
  EXPECT_FALSE(fits(0x1p-26F, 0x1p-25F));  // exponent -51
  EXPECT_FALSE(fits(0x1p28F, 1.0F));
  EXPECT_FALSE(fits(1.0F + 0x1p-12F, 1.0F + 0x1p-11F));  // 13 + 12 bits: the product needs 25
  EXPECT_TRUE(fits(1.0F + 0x1p-11F, 1.0F + 0x1p-11F));   // 12 + 12
  EXPECT_FALSE(fits(kInf, 1.0F));
  EXPECT_FALSE(fits(1.0F, kNan));
  const float one = 1, tiny = 0x1p-60F;
  EXPECT_FALSE(kernels_fit(unit, std::span(&one, 1), std::span(&one, 1), std::span(&tiny, 1)));
  MatrixUnit wide = unit;
  wide.products = 33;  // 33 aligned products of up to 2^26 - 2^14 each pass 2^31; 32 do not
  EXPECT_FALSE(kernels_fit(wide, std::span(&one, 1), std::span(&one, 1), {}));
}

}  // namespace
}  // namespace fusecheck::engine
