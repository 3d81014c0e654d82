// Intervals of sums (J4), the proof of truth (J5) and calibration, on sums small enough to work out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fusecheck/philox.hpp"
#include "run/calibrate.hpp"
#include "run/certify.hpp"
#include "run/real_kernel.hpp"

namespace fusecheck::run {
namespace {

using List = std::vector<double>;
using Floats = std::vector<float>;
constexpr double kInf = std::numeric_limits<double>::infinity();

// One output: x has K channels of one pixel, w one 1x1 filter.
engine::Contraction dot_product(std::size_t k) {
  engine::Contraction problem;
  problem.geometry.c = static_cast<std::int64_t>(k);
  return problem;
}

Real real(List v, List half = {}) {
  Real x;
  if (!half.empty()) {
    List low, high;
    for (std::size_t i = 0; i < v.size(); ++i) {
      low.push_back(v[i] - half[i]);
      high.push_back(v[i] + half[i]);
    }
    x.low = share(low);
    x.high = share(high);
  }
  x.v = share(std::move(v));
  return x;
}

struct Dot {
  Memo memo{engine::Execution{}};
  TruthOptions options;
  Real operator()(const Real& a, const Real& b) {
    return contract(dot_product(a.size()), a, b, nullptr, options, memo);
  }
};

// K = 2, so n = 2 and c = min(2, 8) = 2. 3·2 + 5·4 = 26 = S: 2·2^-24·26 of rounding, and 0.5·2 = 1 from x.
TEST(Contraction, WidthsOfOneOperandPropagate) {
  Dot dot;
  const Real y = dot(real({3, 5}, {0.5, 0}), real({2, 4}));
  EXPECT_EQ((*y.v)[0], 26);
  EXPECT_GE(half_widths(y)[0], 1 + 52 * 0x1p-24);
  EXPECT_LE(half_widths(y)[0], 1 + 52 * 0x1p-24 + 1e-6);
}

// The farthest product is 3.5·2.25 = 7.875, which is 1.875 from 6.
TEST(Contraction, WidthsOfBothOperandsPropagate) {
  Dot dot;
  const double half = half_widths(dot(real({3, 5}, {0.5, 0}), real({2, 4}, {0.25, 0})))[0];
  EXPECT_GE(half, 1.875 + 52 * 0x1p-24);
  EXPECT_LE(half, 1.875 + 52 * 0x1p-24 + 2e-6);
}

// The bias reaches every output of its channel: 0.25 more.
TEST(Contraction, WidthsOfTheBiasPropagate) {
  Dot dot;
  const Real bias = real({1}, {0.25});
  const Real y = contract(dot_product(2), real({3, 5}), real({2, 4}), &bias, dot.options, dot.memo);
  EXPECT_EQ((*y.v)[0], 27);
  EXPECT_GE(half_widths(y)[0], 0.25 + 3 * 27 * 0x1p-24);  // n = 3 with the bias
  EXPECT_LE(half_widths(y)[0], 0.25 + 3 * 27 * 0x1p-24 + 1e-6);
}

// All partial sums are multiples of 1: below 2^24 of them f32 holds each, at 2^24 + 1 not.
TEST(Contraction, IsExactBelowTwoToThe24Steps) {
  Dot dot;
  EXPECT_TRUE(dot(real({4096, 0}), real({4095, 0})).exact());
  EXPECT_FALSE(dot(real({4096, 1}), real({4096, 1})).exact());
  EXPECT_TRUE(dot(real({0, 0}), real({3, 1})).exact());
  dot.options.accumulator.dtype = DType::f16;  // 11 bits
  EXPECT_TRUE(dot(real({46, 0}), real({44, 0})).exact());
  EXPECT_FALSE(dot(real({64, 1}), real({32, 1})).exact());
}

// 2^-75·2^-75 = 2^-150 is half of the smallest f32 subnormal: a kernel may give 0.
TEST(Contraction, ProductsThatUnderflowAreNotExact) {
  Dot dot;
  const Real y = dot(real({0x1p-75}), real({0x1p-75}));
  EXPECT_EQ((*y.v)[0], 0x1p-150);
  EXPECT_LE(y.lows()[0], 0);
  EXPECT_GE(y.highs()[0], 0x1p-149);
  EXPECT_TRUE(dot(real({0x1p-74}), real({0x1p-75})).exact());
}

TEST(Contraction, OverflowMakesAnythingLegal) {
  Dot dot;
  const Real y = dot(real({0x1p127, 1}), real({2, 1}));
  EXPECT_EQ(y.lows()[0], -kInf);
  EXPECT_EQ(y.highs()[0], kInf);
}

// Every order gives Inf + 1 = Inf: nothing else is legal, unless the other terms may overflow by themselves.
TEST(Contraction, AnInfiniteOperandIsNotAnOverflow) {
  Dot dot;
  const Real y = dot(real({kInf, 1}), real({1, 1}));
  EXPECT_EQ(y.lows()[0], kInf);
  EXPECT_EQ(y.highs()[0], kInf);
  const Real nan = dot(real({kInf, -kInf}), real({1, 1}));
  EXPECT_TRUE(std::isnan(nan.lows()[0]) && std::isnan(nan.highs()[0]));
  EXPECT_EQ(dot(real({kInf, -0x1p127}), real({1, 2})).lows()[0], -kInf);
}

Certified rounded_to_f32(const Real& x) {
  List low = x.lows(), high = x.highs();
  round_to(DType::f32, std::span<const double>(low), low);
  round_to(DType::f32, std::span<const double>(high), high);
  return certified(x, DType::f32, {}, low, high);
}

// 1 + 2^-24 is a tie, and 2^-54 more is above it: f64 loses that (its unit is 2^-52) and would round to the even 1.
TEST(Certify, AnExactSumDecidesAboveATie) {
  Dot dot;
  Real y = dot(real({1, 0x1p-24, 0x1p-27}), real({1, 1, 0x1p-27}));
  EXPECT_EQ((*y.v)[0], 1 + 0x1p-24);
  const Certified truth = rounded_to_f32(y);
  EXPECT_EQ(truth.values[0], 1 + 0x1p-23);
  EXPECT_EQ(truth.undecided, 0);
  ASSERT_EQ(truth.exact.size(), 1u);
  y.contraction = nullptr;  // no terms to add: counted
  EXPECT_EQ(rounded_to_f32(y).undecided, 1);
}

// 1 + 3·2^-24 is a tie whose even neighbour is 1 + 2^-22. The sum is 2^-52 - 2^-54 below it: 1 + 2^-23. As doubles its
// high part is the tie's neighbour and its low part points at the tie, which is where a plain step up would end.
TEST(Certify, AnExactSumDecidesNextToATie) {
  Dot dot;
  const Real y = dot(real({1, 3 * 0x1p-24, -0x1p-26, 0x1p-27}), real({1, 1, 0x1p-26, 0x1p-27}));
  const Certified truth = rounded_to_f32(y);
  ASSERT_EQ(truth.exact.size(), 1u);
  EXPECT_EQ(truth.values[0], 1 + 0x1p-23);
}

TEST(Calibrate, RigorousTerms) {
  EXPECT_EQ(rigorous_terms({}, 576), 576);
  // (K + groups)·2^(24-F) + 2·groups, each group of L also cutting the accumulator.
  EXPECT_EQ(rigorous_terms({true, {.products = 8, .fraction_bits = 24}}, 16), 18 + 4);
  EXPECT_EQ(rigorous_terms({true, {.products = 4, .fraction_bits = 23}}, 10), 13 * 2 + 6);
  EXPECT_EQ(rigorous_terms({true, {.products = 16, .fraction_bits = 25}}, 16), 8.5 + 2);
}

Calibration calibrated(const Floats& a, const Floats& bias, double v, float s) {
  const Floats ones(a.size(), 1);
  const List truth = {v};
  const Floats magnitude = {s};
  return calibrate(dot_product(a.size()), a, ones, bias, truth, magnitude, {}, {}, {});
}

TEST(Calibrate, IsAtMostNAndAtLeastEight) {
  EXPECT_EQ(calibrated({3}, {}, 3, 3).c, 1);
  EXPECT_EQ(calibrated(Floats(5, 1), {}, 5, 5).c, 5);
  EXPECT_EQ(calibrated(Floats(20, 1), {}, 20, 20).c, 8);  // no order has an error
}

// From 2^24 on each 1 is half a unit and rounds back to even: a chain loses all four, u·S being 1 + 2^-22. The trees
// add the ones first and lose nothing.
TEST(Calibrate, IsThreeTimesTheWorstLegalOrder) {
  Floats terms(100, 0);
  terms[0] = terms[1] = terms[2] = terms[3] = 1;
  const Calibration c = calibrated(terms, {0x1p24F}, 0x1p24 + 4, 0x1p24F + 4);
  EXPECT_DOUBLE_EQ(c.worst, 4 / (1 + 0x1p-22));
  EXPECT_DOUBLE_EQ(c.c, 12 / (1 + 0x1p-22));
  EXPECT_EQ(c.n, 101);
  EXPECT_EQ(calibrated(Floats(32, 1), {0x1p24F}, 0x1p24 + 32, 0x1p24F + 32).c, 33);  // 3·32 is more than n
}

// 256 rows of 64 terms of alternating sign. Every 25th begins with a dominant one: each of the 63 additions that follow
// rounds at the size of the total, an error of sqrt(63/12) ULP rms and of four times that somewhere. The partial sums
// of the other rows are small beside S, and so are their errors in u·S. Dominated rows must be among the sampled ones.
TEST(Calibrate, ShortSumsWithDominantTermsAreSampled) {
  engine::Contraction problem;
  problem.geometry = {.n = 1, .c = 64, .h = 16, .w = 16, .oc = 256};
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Philox rng(seed, "dominant");
    Floats x(64 * 256), w(256 * 64);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t term = i / 256, row = i % 256;
      const bool dominant = term == 0 && row % 25 == seed;
      x[i] = static_cast<float>((1 + rng.uniform(i)) * (dominant ? 400 : term % 2 == 0 ? 1 : -1));
    }
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(1 + rng.uniform(x.size() + i));
    const Real a = real(List(x.begin(), x.end())), b = real(List(w.begin(), w.end()));
    Memo memo{engine::Execution{}};
    const Real y = contract(problem, a, b, nullptr, {}, memo);
    const Floats actual = engine::contract(problem, x, w, {}, {}, {});
    std::size_t outside = 0;
    for (std::size_t i = 0; i < actual.size(); ++i) {
      const auto value = static_cast<double>(actual[i]);
      outside += value < (*y.low)[i] || value > (*y.high)[i] ? 1U : 0U;
    }
    EXPECT_EQ(outside, 0U) << "seed " << seed;
  }
}

TEST(Calibrate, PlainSums) {
  Floats terms(100, 0);
  terms[0] = 0x1p24F;
  terms[1] = terms[2] = terms[3] = terms[4] = 1;
  const Calibration c = calibrate_sums({terms}, 100, {});
  EXPECT_DOUBLE_EQ(c.c, 12 / (1 + 0x1p-22));
  EXPECT_EQ(c.n, 100);
}

}  // namespace
}  // namespace fusecheck::run
