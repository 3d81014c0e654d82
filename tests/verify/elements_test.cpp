// J6: one element, its interval, and the figures beside it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "expected.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck {
namespace {

using testing::constant;
using testing::within;

constexpr double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

Judgement judge_one(double truth, double low, double high, double actual, DType dtype = DType::f16) {
  const Expected expected{.shape = {1}, .dtype = dtype, .truth = {truth}, .low = {low}, .high = {high}};
  return judge(expected, std::vector<double>{actual});
}

TEST(Elements, BothEndsOfTheIntervalAreLegalAndTheNextValueIsNot) {
  // f16 at 1: spacing 2^-10 above, 2^-11 below.
  EXPECT_EQ(judge_one(1, 1 - 0x1p-11, 1 + 0x1p-10, 1 - 0x1p-11).status, Status::pass);
  EXPECT_EQ(judge_one(1, 1 - 0x1p-11, 1 + 0x1p-10, 1 + 0x1p-10).status, Status::pass);
  EXPECT_EQ(judge_one(1, 1 - 0x1p-11, 1 + 0x1p-10, 1 - 0x1p-10).status, Status::fail);
  EXPECT_EQ(judge_one(1, 1 - 0x1p-11, 1 + 0x1p-10, 1 + 0x1p-9).status, Status::fail);
}

TEST(Elements, NegativeZeroEqualsZero) {
  const Judgement j = judge_one(0, 0, 0, -0.0);
  EXPECT_EQ(j.status, Status::pass);
  EXPECT_EQ(j.flips_observed, 0);
  EXPECT_EQ(j.max_ulp, 0);
}

TEST(Elements, NaNMeetsNaNOnly) {
  EXPECT_EQ(judge_one(nan, nan, nan, nan).status, Status::pass);
  for (const double actual : {0.0, 1.0, inf}) {
    const Judgement j = judge_one(nan, nan, nan, actual);
    EXPECT_EQ(j.status, Status::fail) << actual;
    EXPECT_EQ(j.nonfinite_mismatch, 1) << actual;
  }
  const Judgement j = judge_one(1, 0, 2, nan);
  EXPECT_EQ(j.status, Status::fail);
  EXPECT_EQ(j.nonfinite_mismatch, 1);
}

TEST(Elements, InfinityIsLegalOnlyWhereTheIntervalReachesIt) {
  EXPECT_EQ(judge_one(inf, inf, inf, inf).status, Status::pass);
  EXPECT_EQ(judge_one(inf, 65504, inf, 65504).status, Status::pass);
  EXPECT_EQ(judge_one(65504, 65472, inf, inf).status, Status::pass);
  for (const double actual : {-inf, 65504.0, nan}) {
    const Judgement j = judge_one(inf, inf, inf, actual);
    EXPECT_EQ(j.status, Status::fail) << actual;
    EXPECT_EQ(j.nonfinite_mismatch, 1) << actual;
  }
  const Judgement j = judge_one(65504, 65472, 65504, inf);
  EXPECT_EQ(j.status, Status::fail);
  EXPECT_EQ(j.nonfinite_mismatch, 1);
  EXPECT_EQ(j.max_abs, inf);
  EXPECT_EQ(j.max_ulp, std::numeric_limits<std::int64_t>::max());
}

TEST(Elements, SaturatedStoreIsJudgedByItsInterval) {
  // A saturating store of 70,000: truth, low and high are 65,504, and Inf is wrong.
  EXPECT_EQ(judge_one(65504, 65504, 65504, 65504).status, Status::pass);
  EXPECT_EQ(judge_one(65504, 65504, 65504, inf).status, Status::fail);
}

TEST(Elements, SubnormalsHaveTheirOwnSpacing) {
  // f16: the smallest subnormal is 2^-24; 3 of them against 1 are 2 ULP.
  const Judgement j = judge_one(0x1p-24, 0, 0x1p-23, 0x1.8p-23);
  EXPECT_EQ(j.status, Status::fail);
  EXPECT_EQ(j.max_ulp, 2);
  EXPECT_EQ(j.limit_ulp, 1);
  EXPECT_EQ(j.used, 2);
  // Flushed to zero, inside.
  EXPECT_EQ(judge_one(0x1p-24, 0, 0x1p-23, 0).status, Status::pass);
}

TEST(Elements, TheDistanceAcrossZeroCountsBothSides) {
  // f16: 2^-24 and -2^-23 are 1 + 2 steps apart.
  EXPECT_EQ(judge_one(0x1p-24, -1, 1, -0x1p-23).max_ulp, 3);
  // 1 is the 15·1024th value above zero, so -1 is 30,720 from it; 8 against 1 is further off and only 3·1024.
  const Expected expected = within({2}, DType::f16, {1, 1}, 10);
  EXPECT_EQ(judge(expected, std::vector<double>{8, -1}).max_ulp, 30'720);
}

TEST(Elements, TheDistanceDownACrossedBinadeIsCountedInFinerSteps) {
  // f16: from 1 down to 1 - 3·2^-11 are 3 steps of 2^-11, but 1.5 of the spacing at 1.
  EXPECT_EQ(judge_one(1, 0, 2, 1 - 3 * 0x1p-11).max_ulp, 3);
  // 2 - 2·2^-10 is further from 2, but only 2 steps: it must not hide the 3.
  const Expected expected = within({2}, DType::f16, {2, 1}, 1);
  EXPECT_EQ(judge(expected, std::vector<double>{2 - 2 * 0x1p-10, 1 - 3 * 0x1p-11}).max_ulp, 3);
}

TEST(Elements, AnythingGoesWhereTheSumMayOverflowAndOverOnePercentIsWeak) {
  // 100 elements, 1 ambiguous: exactly 1 %, a pass; 2: weak. The ambiguous ones hold NaN.
  for (const std::int64_t ambiguous : {1, 2}) {
    Expected expected = constant({100}, 1);
    std::vector<double> actual(100, 1.0);
    for (std::size_t i = 0; i < static_cast<std::size_t>(ambiguous); ++i) {
      expected.low[i] = -inf;
      expected.high[i] = inf;
      actual[i] = nan;
    }
    const Judgement j = judge(expected, actual);
    EXPECT_EQ(j.status, ambiguous == 1 ? Status::pass : Status::weak);
    EXPECT_EQ(j.ambiguous, ambiguous);
    EXPECT_EQ(j.bad, 0);
    EXPECT_EQ(j.max_abs, 0);
    EXPECT_EQ(j.smallest_atol, inf);
  }
}

TEST(Elements, FiguresOfAMixedTensor) {
  // f32, interval truth ± 0.5; differences 0, +0.25, -0.5, +1.
  const Expected expected = within({4}, DType::f32, {8, 8, 8, 8}, 0.5);
  const Judgement j = judge(expected, std::vector<double>{8, 8.25, 7.5, 9});
  EXPECT_EQ(j.status, Status::fail);
  EXPECT_EQ(j.n, 4);
  EXPECT_EQ(j.bad, 1);
  EXPECT_EQ(j.max_abs, 1);
  EXPECT_EQ(j.used, 2);
  EXPECT_EQ(j.smallest_atol, 1);
  EXPECT_EQ(j.flips_observed, 3);
  // ulp(8) = 2^-20 in f32; below 8 the spacing is 2^-21.
  EXPECT_EQ(j.max_ulp, 1 << 20);
  EXPECT_EQ(j.limit_ulp, 0x1p19);
  EXPECT_EQ(j.mean_ulp, (0.25 - 0.5 + 1) * 0x1p20 / 4);
  ASSERT_EQ(j.worst.size(), 1U);  // of the bad ones only
  EXPECT_EQ(j.worst[0].index, (std::vector<std::int64_t>{3}));
  EXPECT_EQ(j.worst[0].actual, 9);
  EXPECT_EQ(j.worst[0].low, 7.5);
  EXPECT_EQ(j.worst[0].ulp, 1 << 20);
}

TEST(Elements, TheMeanOfTheMagnitudeIsNegativeTowardZero) {
  // f32 at ±2: one ULP, 2^-22, inward each; the signed mean cancels.
  const Expected expected = within({2}, DType::f32, {3, -3}, 1);
  const Judgement j = judge(expected, std::vector<double>{3 - 0x1p-22, -3 + 0x1p-22});
  EXPECT_EQ(j.mean_ulp, 0);
  EXPECT_EQ(j.mean_magnitude_ulp, -1);
}

TEST(Elements, TheWorstFiveAreOrderedByTheirShareOfTheLimit) {
  // Limits 1; differences 2..8: five are kept, the largest first; a NaN precedes them all.
  const Expected expected = constant({8}, 100, 1);
  const Judgement j = judge(expected, std::vector<double>{102, 103, 104, 105, 106, 107, 108, nan});
  ASSERT_EQ(j.worst.size(), 5U);
  EXPECT_EQ(j.worst[0].index[0], 7);
  EXPECT_EQ(j.worst[1].index[0], 6);
  EXPECT_EQ(j.worst[4].index[0], 3);
  EXPECT_EQ(judge(expected, std::vector<double>{102, 103, 104, 105, 106, 107, 108, nan}, {.top = 2}).worst.size(), 2U);
}

TEST(Elements, IntegersAreSpacedByOne) {
  const Expected expected{.shape = {2}, .dtype = DType::boolean, .truth = {0, 1}, .low = {0, 1}, .high = {0, 1}};
  EXPECT_EQ(judge(expected, std::vector<double>{0, 1}).status, Status::pass);
  const Judgement j = judge(expected, std::vector<double>{1, 1});
  EXPECT_EQ(j.bad, 1);
  EXPECT_EQ(j.max_ulp, 1);
  EXPECT_EQ(j.mean_ulp, 0.5);
}

TEST(Elements, TheRigorousLimitAllowsForBothRoundings) {
  // f16 at 1.5, half_width 2^-10·0.3, rigorous 10: the candidate is within 3 ULP of the exact value, so within
  // floor(3 + 1/2 + 1/2) = 4 of truth.
  Expected expected = within({1}, DType::f16, {1.5}, 0x1p-10);
  expected.half_width = {0.3 * 0x1p-10};
  expected.rigorous = 10;
  EXPECT_EQ(judge(expected, std::vector<double>{1.5}).rigorous_limit_ulp, 4);
}

TEST(Elements, NoElementsProveNothing) {
  EXPECT_EQ(judge(constant({0, 3}, 0), std::vector<double>{}).status, Status::weak);
}

TEST(Elements, SizesAndIntervalsAreNotTrusted) {
  const auto throws = [](const Expected& expected, std::size_t n) {
    try {
      judge(expected, std::vector<double>(n, 0.0));
    } catch (const Error& error) {
      return error.kind() == ErrorKind::internal;
    }
    return false;
  };
  EXPECT_FALSE(throws(constant({2, 3}, 0), 6));
  EXPECT_TRUE(throws(constant({2, 3}, 0), 5));
  Expected expected = constant({2, 3}, 0);
  expected.half_width = {0};
  EXPECT_TRUE(throws(expected, 6));
  expected = constant({2, 3}, 0);
  expected.low[2] = 1;
  EXPECT_TRUE(throws(expected, 6));
  expected = constant({2, 3}, 0);
  expected.shape = {7};
  EXPECT_TRUE(throws(expected, 6));
}

TEST(Status, WorseIsLarger) {
  EXPECT_EQ(worse(Status::pass, Status::weak), Status::weak);
  EXPECT_EQ(worse(Status::fail, Status::error), Status::fail);
  EXPECT_EQ(name_of(Status::skip), "skip");
  EXPECT_EQ(name_of(Status::fail), "fail");
}

}  // namespace
}  // namespace fusecheck
