// J7 on simulated tensors: what legal orders give never alarms, what hardware faults give always does.
//
// The error of a legal f32 order is a normal deviate of rms 0.05 half-widths (numerics of random signs: rms 0.4 u·S,
// half-width 8 u·S); a candidate's order may be twice as noisy as the calibrated ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "fusecheck/judge.hpp"
#include "fusecheck/philox.hpp"

namespace fusecheck {
namespace {

using ::testing::HasSubstr;

constexpr double rms = 0.05;
constexpr double mean_of_normal = 0.7978845608;  // E|z| = sqrt(2/pi)

struct Precision {
  DType dtype;
  double half_width;  // in ulp of the storage type at the element
};

// Unrounded values ~ N(0.3, 1), with everything that the judge is told about them.
Expected draw(const Precision& precision, const Philox& rng, std::int64_t n) {
  Expected expected{.shape = {1, 16, n / 256, 16}, .dtype = precision.dtype};
  for (std::int64_t i = 0; i < n; ++i) {
    // 24 bits of normal() and as many below them: positions between f16 and f32 neighbours are uniform.
    const auto at = static_cast<std::uint64_t>(i);
    const double exact = 0.3 + rng.normal(at) + rng.uniform(at + 100'000) * 0x1p-16;
    const double half_width = precision.half_width * ulp(precision.dtype, exact);
    expected.exact.push_back(exact);
    expected.half_width.push_back(half_width);
    expected.truth.push_back(round_to(precision.dtype, exact));
    expected.low.push_back(round_to(precision.dtype, exact - half_width));
    expected.high.push_back(round_to(precision.dtype, exact + half_width));
  }
  expected.typical = rms * mean_of_normal;
  expected.typical_rms = rms;
  expected.typical_bias = rms / 64;  // one standard error of a sample of 4,096
  return expected;
}

// An order `noise` times as noisy as the calibrated ones, plus `shift` ulp of storage, rounded in the given direction.
std::vector<double> evaluate(const Expected& expected, const Philox& rng, double noise, double shift = 0,
                             Rounding direction = Rounding::nearest_even) {
  std::vector<double> actual;
  for (std::size_t i = 0; i < expected.exact.size(); ++i) {
    const double z = std::clamp(rng.normal(i) * rms * noise, -0.33, 0.33);
    const double value =
        expected.exact[i] + z * expected.half_width[i] + shift * ulp(expected.dtype, expected.truth[i]);
    actual.push_back(round_to(expected.dtype, value, {.direction = direction}));
  }
  return actual;
}

// f16 and bf16 with K from a few hundred up to where the half-width is an ulp, f32 with 8 u·S and S up to 100 |y|.
constexpr std::array<Precision, 6> precisions = {{{DType::f16, 0.01},
                                                  {DType::f16, 0.2},
                                                  {DType::f16, 1.5},
                                                  {DType::bf16, 0.002},
                                                  {DType::f32, 8},
                                                  {DType::f32, 400}}};

TEST(Simulation, TenThousandLegalTensorsRaiseNoAlarm) {
  int alarms = 0;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    const Precision& precision = precisions[seed % precisions.size()];
    const Expected expected = draw(precision, Philox(seed, "values"), 256);
    const double noise = std::array{0.3, 1.0, 2.0}[seed / 7 % 3];
    const Judgement j = judge(expected, evaluate(expected, Philox(seed, "order"), noise), {.standards = false});
    ASSERT_TRUE(j.statistics_judged);
    if (j.status == Status::pass) continue;
    ++alarms;
    ADD_FAILURE() << "seed " << seed << ": " << j.reason;
  }
  EXPECT_EQ(alarms, 0);
}

TEST(Simulation, OneRoundingPerChannelIsLegal) {
  // Each of 16 channels is off by up to one f32 ulp as a whole: its scale was rounded the other way.
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Expected expected = draw({DType::f32, 40}, Philox(seed, "values"), 4096);
    const Philox order(seed, "order"), scale(seed, "scale");
    std::vector<double> actual = evaluate(expected, order, 1);
    for (std::size_t i = 0; i < actual.size(); ++i) {
      const double channel = 2 * scale.uniform(i / 256) - 1;
      actual[i] = round_to(DType::f32, actual[i] * (1 + channel * 0x1p-23));
    }
    const Judgement j = judge(expected, actual, {.standards = false});
    EXPECT_EQ(j.status, Status::pass) << "seed " << seed << ": " << j.reason;
  }
}

TEST(Simulation, TruncationOnStoreAlarmsEvenWhereEveryElementIsInside) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const DType dtype : {DType::f16, DType::bf16}) {
      for (const double half_width : {0.05, 1.5}) {
        const Expected expected = draw({dtype, half_width}, Philox(seed, "values"), 4096);
        const Judgement j = judge(expected, evaluate(expected, Philox(seed, "order"), 1, 0, Rounding::toward_zero));
        EXPECT_EQ(j.status, Status::fail) << seed;
        if (half_width < 1) continue;  // J6 sees that one
        EXPECT_EQ(j.bad, 0) << seed;
        EXPECT_THAT(j.reason, HasSubstr("toward zero: looks like"));
      }
    }
  }
}

TEST(Simulation, AShiftOfThreeTenthsOfAnUlpAlarms) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const double half_width : {0.05, 0.6, 1.5}) {
      const Expected expected = draw({DType::f16, half_width}, Philox(seed, "values"), 4096);
      const Judgement j = judge(expected, evaluate(expected, Philox(seed, "order"), 1, 0.3));
      EXPECT_EQ(j.status, Status::fail) << seed << " at " << half_width;
    }
  }
}

TEST(Simulation, PartialSumsInF16Alarm) {
  // Four partial sums of N(0, 1)/2 each, rounded to f16, then added in f32 and rounded; intervals of 1.5 ulp of the
  // result hide most of it from J6.
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Philox values(seed, "values"), parts(seed, "parts");
    const Expected expected = draw({DType::f16, 1.5}, values, 4096);
    std::vector<double> actual;
    for (std::size_t i = 0; i < expected.exact.size(); ++i) {
      double left = expected.exact[i], sum = 0;
      for (std::uint64_t part = 0; part < 3; ++part) {
        const double piece = parts.normal(4 * i + part) / 2;
        left -= piece;
        sum += round_to(DType::f16, piece);
      }
      actual.push_back(round_to(DType::f16, sum + round_to(DType::f16, left)));
    }
    Judgement j = judge(expected, actual);
    EXPECT_EQ(j.status, Status::fail) << seed;
    // The statistics alone see it: the few elements that J6 caught are taken out.
    for (std::size_t i = 0; i < actual.size(); ++i)
      actual[i] = std::clamp(actual[i], expected.low[i], expected.high[i]);
    j = judge(expected, actual);
    EXPECT_EQ(j.status, Status::fail) << seed;
    EXPECT_THAT(j.reason, HasSubstr("partial sums or an intermediate"));
  }
}

TEST(Simulation, TruncatingAccumulatorsInF32Alarm) {
  // Errors toward zero, uniform up to 0.4 half-widths: inside, but no legal order is biased like that.
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Expected expected = draw({DType::f32, 40}, Philox(seed, "values"), 4096);
    const Philox order(seed, "order");
    std::vector<double> actual;
    for (std::size_t i = 0; i < expected.exact.size(); ++i) {
      const double error = std::copysign(0.4 * order.uniform(i) * expected.half_width[i], expected.exact[i]);
      actual.push_back(round_to(DType::f32, expected.exact[i] - error));
    }
    const Judgement j = judge(expected, actual);
    EXPECT_EQ(j.bad, 0);
    EXPECT_EQ(j.status, Status::fail) << seed;
    EXPECT_THAT(j.reason, HasSubstr("accumulator or a store that truncates"));
  }
}

}  // namespace
}  // namespace fusecheck
