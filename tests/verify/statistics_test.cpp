// J7: limits worked out by hand, and the simulation that shows what they let through.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "expected.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck {
namespace {

using ::testing::HasSubstr;
using testing::within;

// f16 values 1, 1 + 2^-10, ...: spacing 2^-10. Intervals reach one neighbour, half_width is 2^-14 = ulp/16 and
// E|err| = 0.5·2^-14, so an element flips with p = 2^-15/2^-10 = 1/32: 2 of 64 are predicted.
Expected coarse(std::int64_t n) {
  std::vector<double> truth;
  for (std::int64_t i = 0; i < n; ++i) truth.push_back(1 + static_cast<double>(i) * 0x1p-10);
  Expected expected = within({n}, DType::f16, truth, 0x1p-10);
  expected.exact = truth;
  expected.half_width.assign(truth.size(), 0x1p-14);
  expected.typical = expected.typical_rms = 0.5;
  return expected;
}

// Moves the first `up` elements up one ulp and the next `down` down.
std::vector<double> flipped(const Expected& expected, std::size_t up, std::size_t down) {
  std::vector<double> actual = expected.truth;
  for (std::size_t i = 0; i < up; ++i) actual[i] += 0x1p-10;
  for (std::size_t i = up; i < up + down; ++i) actual[i] -= 0x1p-10;
  return actual;
}

TEST(Statistics, FlipsUpToTheLimitPass) {
  // 3p + 4·sqrt(3p) + 3 at p = 2: 6 + 9.798 + 3 = 18.798.
  const Expected expected = coarse(64);
  Judgement j = judge(expected, flipped(expected, 9, 9));
  EXPECT_EQ(j.status, Status::pass) << j.reason;
  EXPECT_TRUE(j.statistics_judged);
  EXPECT_EQ(j.groups, 64);
  EXPECT_DOUBLE_EQ(j.flips_predicted, 2);
  EXPECT_EQ(j.flips_observed, 18);
  EXPECT_NEAR(j.flips_limit, 18.798, 0.001);
  j = judge(expected, flipped(expected, 10, 9));
  EXPECT_EQ(j.status, Status::fail);
  EXPECT_EQ(j.bad, 0);
  EXPECT_THAT(j.reason, HasSubstr("statistics only"));
}

// A bf16 product and a bias one f32 ulp from a tie: a whole column sits half an f32 ulp, 2^-24 here, below the boundary
// to its upper neighbour, however small the errors that were measured elsewhere. 16 elements of 1/4: 3p + 4·sqrt(3p) +
// 3 = 12 + 13.856 + 3. Four times as far from it they do not count: the fourth flip alarms.
TEST(Statistics, OneRoundingMayReachABoundary) {
  const auto below_boundary = [](double off) {
    Expected expected = coarse(64);
    expected.half_width.assign(64, 0x1p-23);
    expected.typical = expected.typical_rms = 0x1p-20;
    for (std::size_t i = 0; i < 16; ++i) expected.exact[i] = expected.truth[i] + 0x1p-11 - off;
    return expected;
  };
  const Expected reached = below_boundary(0x1p-24), out_of_reach = below_boundary(0x1p-22);
  const Judgement j = judge(reached, flipped(reached, 16, 0));
  EXPECT_EQ(j.status, Status::pass) << j.reason;
  EXPECT_NEAR(j.flips_limit, 28.856, 0.001);
  EXPECT_EQ(judge(out_of_reach, flipped(out_of_reach, 3, 0)).status, Status::pass);
  EXPECT_EQ(judge(out_of_reach, flipped(out_of_reach, 4, 0)).status, Status::fail);
}

TEST(Statistics, TheMeanIsJudgedEitherWay) {
  // q = ±16/17 per flip. V = (1.5² + 1.5·16)/17² = 26.25/289; mean limit 4·sqrt(64·V)/64 = 0.15069 and half an f32 ulp
  // of a shared scalar, 2^-24/(17·2^-14) = 0.00006, and the three largest: 3·16/17/64 = 0.04412. So 13 flips one way,
  // 0.19118, pass and 14, 0.20588, do not.
  const Expected expected = coarse(64);
  Judgement j = judge(expected, flipped(expected, 13, 0));
  EXPECT_EQ(j.status, Status::pass) << j.reason;
  EXPECT_NEAR(j.mean, 0.19118, 1e-5);
  EXPECT_NEAR(j.mean_limit, 0.19487, 1e-5);
  EXPECT_EQ(judge(expected, flipped(expected, 14, 0)).status, Status::fail);
  EXPECT_EQ(judge(expected, flipped(expected, 0, 13)).status, Status::pass);
  EXPECT_EQ(judge(expected, flipped(expected, 0, 14)).status, Status::fail);
}

TEST(Statistics, RmsIsRootOfTheMeanSquareOverGroups) {
  // 16 flips of 64: sqrt(16/64)·16/17 = 8/17. Limit: ΣV = 5.8131; sqrt((5.8131 + 4·2.4110 + 3)/64) = 0.53702.
  const Expected expected = coarse(64);
  const Judgement j = judge(expected, flipped(expected, 8, 8));
  EXPECT_DOUBLE_EQ(j.rms, 8.0 / 17);
  EXPECT_NEAR(j.rms_limit, 0.53702, 1e-5);
}

// 100 f16 values in two groups, too few to be judged; half-widths of 15 ulps, so that k ulps are q = k/16.
Expected wide(const WholeRuns& runs) {
  std::vector<double> truth;
  for (int i = 0; i < 100; ++i) truth.push_back(1 + i * 0x1p-10);
  Expected expected = within({100}, DType::f16, truth, 0x1p-6);
  expected.exact = truth;
  expected.half_width.assign(truth.size(), 15 * 0x1p-10);
  for (int i = 0; i < 100; ++i) expected.group.push_back(i % 2);
  expected.whole_runs = runs;
  return expected;
}

TEST(Statistics, FlipsOverElementsStayUnderWholeRunsAndTheReachOfOneOperand) {
  // 1 of 100 seen, 4 of 100 in reach: 2 + 4 + 3 of 100, the tenth is too many.
  const Expected expected = wide({.flips = 0.01, .rms = 1, .reach = 0.04});
  const Judgement j = judge(expected, flipped(expected, 5, 4));
  EXPECT_EQ(j.status, Status::pass) << j.reason;
  EXPECT_TRUE(j.statistics_judged);
  EXPECT_EQ(j.flips_predicted, 1);
  EXPECT_TRUE(j.flips_seen);
  const Judgement failed = judge(expected, flipped(expected, 5, 5));
  EXPECT_EQ(failed.status, Status::fail);
  EXPECT_EQ(failed.bad, 0);
  EXPECT_THAT(failed.reason, HasSubstr("10 % of the elements flipped, legal orders at most 9 %"));
}

TEST(Statistics, RmsOverElementsStaysUnderTwelveTimesWholeRunsAndOneUlp) {
  // 12·0.01 + 1/16 = 0.1825: two ulps everywhere are 0.125, three 0.1875.
  const Expected expected = wide({.flips = 1, .rms = 0.01, .reach = 0});
  std::vector<double> two = expected.truth, three = expected.truth;
  for (std::size_t i = 0; i < two.size(); ++i) {
    two[i] += (i % 4 < 2 ? 2 : -2) * 0x1p-10;
    three[i] += (i % 4 < 2 ? 3 : -3) * 0x1p-10;
  }
  EXPECT_EQ(judge(expected, two).status, Status::pass);
  const Judgement failed = judge(expected, three);
  EXPECT_EQ(failed.status, Status::fail);
  EXPECT_THAT(failed.reason, HasSubstr("rms error 0.188 over the elements, legal orders at most 0.182"));
}

// Where intervals are narrower than a quarter of an ulp they show a flip themselves.
TEST(Statistics, NarrowIntervalsLeaveElementsToTheInterval) {
  Expected expected = coarse(63);
  expected.whole_runs = WholeRuns{};
  EXPECT_EQ(judge(expected, flipped(expected, 63, 0)).status, Status::pass);
}

TEST(Statistics, UnderSixtyFourGroupsTheyAreShownAndNotJudged) {
  const Expected expected = coarse(63);
  const Judgement j = judge(expected, flipped(expected, 63, 0));
  EXPECT_EQ(j.status, Status::pass);
  EXPECT_FALSE(j.statistics_judged);
  EXPECT_EQ(j.groups, 63);
  EXPECT_NEAR(j.mean, 16.0 / 17, 1e-12);
}

TEST(Statistics, WithoutCalibrationTheyAreNotJudged) {
  Expected expected = coarse(64);
  expected.typical = 0;
  EXPECT_EQ(judge(expected, flipped(expected, 64, 0)).status, Status::pass);
  expected = coarse(64);
  EXPECT_EQ(judge(expected, flipped(expected, 64, 0), {.statistics = false}).status, Status::pass);
}

TEST(Statistics, ElementsOfOneTruthCountOnce) {
  // Every value four times: 64 groups of 4, and 18 groups flipped as a whole are 18 flips, not 72.
  const Expected once = coarse(64);
  Expected expected{.shape = {4, 64}, .dtype = DType::f16};
  std::vector<double> actual;
  const std::vector<double> flips = flipped(once, 9, 9);
  for (int copy = 0; copy < 4; ++copy) {
    for (std::size_t i = 0; i < 64; ++i) {
      expected.truth.push_back(once.truth[i]);
      expected.low.push_back(once.low[i]);
      expected.high.push_back(once.high[i]);
      actual.push_back(flips[i]);
    }
  }
  expected.half_width.assign(256, 0x1p-14);
  expected.typical = expected.typical_rms = 0.5;
  const Judgement j = judge(expected, actual);
  EXPECT_EQ(j.status, Status::pass) << j.reason;
  EXPECT_EQ(j.groups, 64);
  EXPECT_EQ(j.flips_observed, 72);
  EXPECT_DOUBLE_EQ(j.flips_in_groups, 18);
  EXPECT_DOUBLE_EQ(j.flips_predicted, 8);  // over elements
}

TEST(Statistics, ElementsWithoutAnyErrorAreNotCountedAndZerosAreOneGroup) {
  // 8 elements: two exact ones (half-width 0), +0 and -0, one value twice, two single ones: 4 groups. In f64 as well.
  for (const DType dtype : {DType::f16, DType::f64}) {
    Expected expected = within({8}, dtype, {9, 10, 0.0, -0.0, 3, 3, 4, 5}, 1);
    expected.half_width = {0, 0, 1, 1, 1, 1, 1, 1};
    EXPECT_EQ(judge(expected, expected.truth).groups, 4);
  }
}

TEST(Statistics, TheCallersGroupsWin) {
  // All 64 elements in one group: nothing to judge.
  Expected expected = coarse(64);
  expected.group.assign(64, 0);
  const Judgement j = judge(expected, flipped(expected, 64, 0));
  EXPECT_EQ(j.groups, 1);
  EXPECT_FALSE(j.statistics_judged);
  expected.group[3] = 64;
  EXPECT_THROW(judge(expected, expected.truth), Error);
  expected.group[3] = -1;
  EXPECT_THROW(judge(expected, expected.truth), Error);
}

TEST(Statistics, AFineFormatIsJudgedByRmsAndMeanNotByFlips) {
  // f32 at 1..: spacing 2^-23, half_width 2^-20 = 8 ulp, E|err| 0.05 of it. Every element one ulp off either way:
  // q = 1/9; V = ((0.15·8)² + min(0.15·8, 1/4))/81 = 1.69/81; rms limit sqrt(V·(1 + 4·sqrt(4/64)) + 3/81/64): the three
  // largest on top: sqrt(0.041728 + 0.000579) = 0.20569.
  std::vector<double> truth, actual;
  for (int i = 0; i < 64; ++i) {
    truth.push_back(1 + i * 0x1p-10);
    actual.push_back(truth.back() + (i % 2 == 0 ? 0x1p-23 : -0x1p-23));
  }
  actual[0] = 1;  // stays, which leaves 63 of 64
  Expected expected = within({64}, DType::f32, truth, 0x1p-20);
  expected.half_width.assign(64, 0x1p-20);
  expected.typical = expected.typical_rms = 0.05;
  Judgement j = judge(expected, actual);
  EXPECT_EQ(j.status, Status::pass) << j.reason;
  EXPECT_EQ(j.flips_observed, 63);
  EXPECT_EQ(j.flips_limit, 0);
  EXPECT_NEAR(j.rms, std::sqrt(63.0 / 64) / 9, 1e-12);
  EXPECT_NEAR(j.rms_limit, 0.20569, 1e-5);
  // Two ulp off: rms 0.2205 is over it, though each is inside its 8.
  for (std::size_t i = 1; i < 64; ++i) actual[i] = truth[i] + 2 * (actual[i] - truth[i]);
  j = judge(expected, actual);
  EXPECT_EQ(j.status, Status::fail);
  EXPECT_EQ(j.bad, 0);
  EXPECT_THAT(j.reason, HasSubstr("rms error"));
}

TEST(Statistics, ElementsOnTiesMayFlipHalfTheTime) {
  // Exact values half way between neighbours: any error at all decides, and half of the elements flip. The uniform
  // formula predicts 2 of 64, positions predict 64/4 = 16: limit 48 + 4·sqrt(48) + 3 = 78.7.
  Expected expected = coarse(64);
  for (std::size_t i = 0; i < 64; ++i) expected.exact[i] += i % 2 == 0 ? 0x1p-11 : -0x1p-11;
  const Judgement j = judge(expected, flipped(expected, 0, 0));
  EXPECT_NEAR(j.flips_limit, 78.71, 0.01);
  // Every second pair flips to its other neighbour: Σq² = 32·(16/17)² = 28.3. Uniform positions would allow
  // 64·(3/32 + (3/32)²)·(16/17)² = 5.8, + 4·sqrt(5.8) + 3 = 18.5; on ties 64·(3/4 + (3/32)²)·(16/17)² and more.
  std::vector<double> actual = expected.truth;
  for (std::size_t i = 0; i < 64; ++i) {
    if (i % 4 < 2) actual[i] += i % 2 == 0 ? 0x1p-10 : -0x1p-10;
  }
  EXPECT_EQ(judge(expected, actual).status, Status::pass);
  expected.exact = expected.truth;
  EXPECT_EQ(judge(expected, actual).status, Status::fail);
}

TEST(Statistics, AMeanThatChannelsShareIsNoAlarm) {
  // 16 channels of 64 elements; one channel's scale is rounded the other way, all of it one ulp up (f32, 8 ulp limit).
  // Means per channel: one is 1/9, the rest 0: mean 1/144, standard error sqrt((1/9)²·(15/16)/15/16) = 1/144, and
  // t(15) = 9.49 of them are allowed. The same shift in every channel has no such excuse.
  std::vector<double> truth;
  for (int i = 0; i < 1024; ++i) truth.push_back(1 + (i + 1) * 0x1p-11);
  Expected expected = within({1, 16, 8, 8}, DType::f32, truth, 0x1p-20);
  expected.half_width.assign(1024, 0x1p-20);
  expected.typical = expected.typical_rms = 0.01;
  std::vector<double> actual = truth;
  for (std::size_t i = 0; i < 64; ++i) actual[i] += 0x1p-23;
  // Without the allowance: 3·0 + 4·sqrt(V/1024) with V = (0.24² + 0.24)/81 is 0.0076, and the shared scalar adds
  // 0.0556.
  const Judgement j = judge(expected, actual);
  EXPECT_EQ(j.status, Status::pass) << j.reason;
  for (std::size_t i = 64; i < 1024; ++i) actual[i] += 0x1p-23;
  EXPECT_EQ(judge(expected, actual).status, Status::fail);
}

TEST(Statistics, TheSmallestVisibleFaultIsTheFlipLimitOverAllPositions) {
  // A relative fault d moves element i by d·|t|/ulp: Σ = Σ(1024 + i) = 64·1024 + 2016 = 67,552; 18.798/67,552.
  const Expected expected = coarse(64);
  EXPECT_NEAR(judge(expected, expected.truth).smallest_visible, 2.7827e-4, 1e-8);
  // Unjudged: what drives an element out of its interval whatever it rounded to: 1.5 ulp at the largest, 1 + 62/1024.
  const Expected few = coarse(63);
  EXPECT_NEAR(judge(few, few.truth).smallest_visible, 1.5 * 0x1p-10 / (1 + 62.0 / 1024), 1e-9);
}

TEST(Statistics, ReasonsNameTheHardware) {
  const Expected expected = coarse(64);
  EXPECT_THAT(judge(expected, flipped(expected, 0, 32)).reason,
              HasSubstr("mean error -0.5 ULP, toward zero: looks like truncation on store"));
  EXPECT_THAT(judge(expected, flipped(expected, 32, 0)).reason, HasSubstr("rounded up on store"));
  EXPECT_THAT(judge(expected, flipped(expected, 20, 20)).reason, HasSubstr("partial sums or an intermediate"));
}

TEST(Statistics, TruthThatIsNotTheExactValueRoundedIsOurBug) {
  Expected expected = coarse(64);
  for (double& exact : expected.exact) exact += 2 * 0x1p-10;
  EXPECT_THROW(judge(expected, expected.truth), Error);
}

}  // namespace
}  // namespace fusecheck
