// Interval arithmetic of single operations (N4): v ± (u·|v| + 2^-149) around the ends, and what infinities and NaN do.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "run/real.hpp"
#include "run/real_arithmetic.hpp"
#include "run/real_function.hpp"
#include "run/real_layout.hpp"

namespace fusecheck::run {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kU = 0x1p-24;

Real point(double v) {
  Real real;
  real.v = share({v});
  return real;
}
Real interval(double low, double v, double high) {
  Real real = point(v);
  real.low = share({low});
  real.high = share({high});
  return real;
}
const Shape kOne = {1};
Real binary(Binary op, const Real& a, const Real& b) { return apply(op, Shaped{a, kOne}, Shaped{b, kOne}, {}); }

// The ends of the exact result, each moved out by so many u of the larger magnitude, and by hardly more.
void expect_ends(const Real& actual, double low, double high, double units = 1) {
  const double e = units * kU * std::max(std::fabs(low), std::fabs(high)) + 0x1p-149;
  EXPECT_LE(actual.lows()[0], low - e);
  EXPECT_GE(actual.lows()[0], low - e * (1 + 0x1p-16));
  EXPECT_GE(actual.highs()[0], high + e);
  EXPECT_LE(actual.highs()[0], high + e * (1 + 0x1p-16));
}
void expect_everything(const Real& actual) {
  EXPECT_EQ(actual.lows()[0], -kInf);
  EXPECT_EQ(actual.highs()[0], kInf);
}

TEST(Intervals, Add) {
  const Real sum = binary(Binary::add, interval(1, 1.5, 2), point(1));
  EXPECT_EQ((*sum.v)[0], 2.5);
  expect_ends(sum, 2, 3);
}
TEST(Intervals, Subtract) { expect_ends(binary(Binary::subtract, interval(1, 1, 2), interval(3, 4, 5)), -4, -1); }

// Products of the ends: 3, -4, -6, 8.
TEST(Intervals, Multiply) { expect_ends(binary(Binary::multiply, interval(-1, 1, 2), interval(-3, 1, 4)), -6, 8); }

// A quotient may be an ULP off, 2u (N12).
TEST(Intervals, Divide) { expect_ends(binary(Binary::divide, interval(1, 1, 2), interval(4, 5, 8)), 0.125, 0.5, 2); }
TEST(Intervals, AQuotientThatF32HoldsIsExactUnlessTheDeviceErrs) {
  const auto quotient = [](double a, double b, bool exact) {
    return apply(Binary::divide, Shaped{point(a), kOne}, Shaped{point(b), kOne}, {.exact_quotients = exact});
  };
  EXPECT_TRUE(quotient(6, 3, true).exact());
  expect_ends(quotient(6, 3, false), 2, 2, 2);
  EXPECT_TRUE(quotient(0, 3, false).exact());
}
TEST(Intervals, ARootThatF32HoldsIsExactUnlessTheDeviceErrs) {
  const auto root = [](double x, bool exact) {
    return apply(Unary::square_root, point(x), {.exact_quotients = exact});
  };
  EXPECT_TRUE(root(4, true).exact());
  expect_ends(root(4, false), 2, 2, 2);
  EXPECT_TRUE(root(0, false).exact());
}
TEST(Intervals, DivideByAnIntervalAroundZero) {
  expect_everything(binary(Binary::divide, point(1), interval(-1, 0.5, 1)));
  expect_everything(binary(Binary::divide, point(1), interval(0, 0.5, 1)));
}

TEST(Intervals, ExactOperandsWithAnF32ResultStayExact) {
  EXPECT_TRUE(binary(Binary::add, point(1.5), point(2.25)).exact());
  EXPECT_TRUE(binary(Binary::divide, point(1), point(8)).exact());
  EXPECT_FALSE(binary(Binary::divide, point(1), point(3)).exact());
  EXPECT_FALSE(binary(Binary::add, point(1), point(0x1p-24)).exact());  // between two f32 values
}

// The root of -1 is no number, so the low end is 0: one rounding below, as for any result.
// A root may be an ULP off, 2u (N12), and is never below 0.
TEST(Intervals, SquareRootNearZero) {
  const Real root = apply(Unary::square_root, interval(-1, 1, 4), {});
  EXPECT_EQ(root.lows()[0], 0);
  EXPECT_GE(root.highs()[0], 2 + 4 * kU);
  EXPECT_LE(root.highs()[0], 2 + 4 * kU * (1 + 0x1p-16));
}
TEST(Intervals, SquareRootOfANegativeValueIsNan) {
  EXPECT_TRUE(std::isnan((*apply(Unary::square_root, point(-1), {}).v)[0]));
}

TEST(Intervals, ReluAndItsMask) {
  const Real y = apply(Unary::relu, interval(-1, 1, 2), {});
  EXPECT_EQ(y.lows()[0], 0);
  EXPECT_EQ(y.highs()[0], 2);
  const Real mask = apply(Unary::positive, interval(-1, 1, 2), {});
  EXPECT_EQ(mask.lows()[0], 0);
  EXPECT_EQ(mask.highs()[0], 1);
  EXPECT_TRUE(apply(Unary::positive, interval(1, 1, 2), {}).exact());
  EXPECT_EQ((*apply(Unary::positive, point(0), {}).v)[0], 0);
}

TEST(Intervals, NegateSwapsTheEnds) {
  const Real x = apply(Unary::negate, interval(1, 2, 5), {});
  EXPECT_EQ(x.lows()[0], -5);
  EXPECT_EQ(x.highs()[0], -1);
}

// Everything includes NaN, and relu(NaN) is NaN: [0, Inf] would refuse it, and would not be counted as ambiguous.
TEST(Intervals, ReluOfEverythingIsEverything) { expect_everything(apply(Unary::relu, interval(-kInf, 1, kInf), {})); }

TEST(Intervals, NanStaysNan) {
  const Real sum = binary(Binary::add, interval(1, 1.5, 2), point(kNan));
  EXPECT_TRUE(std::isnan(sum.lows()[0]) && std::isnan(sum.highs()[0]));
  EXPECT_TRUE(std::isnan((*apply(Unary::relu, point(kNan), {}).v)[0]));
  EXPECT_TRUE(std::isnan((*binary(Binary::subtract, point(kInf), point(kInf)).v)[0]));
}

// 0·Inf is NaN, so a product of 0 and anything may be NaN: everything, not [0, 0].
TEST(Intervals, ZeroTimesEverything) {
  expect_everything(binary(Binary::multiply, point(0), interval(-kInf, 1, kInf)));
  expect_everything(binary(Binary::multiply, interval(0, 0, 0), interval(-kInf, 1, 3)));
  expect_everything(binary(Binary::multiply, interval(0, 1, 2), interval(0, 1, kInf)));
}

TEST(Intervals, InfiniteOperandsAreExact) {
  const Real sum = binary(Binary::add, point(kInf), interval(1, 2, 3));
  EXPECT_EQ(sum.lows()[0], kInf);
  EXPECT_EQ(sum.highs()[0], kInf);
  EXPECT_EQ(half_widths(interval(kInf, kInf, kInf))[0], 0);
  EXPECT_EQ(half_widths(interval(-kInf, kInf, kInf))[0], kInf);  // Inf - Inf is no width
  EXPECT_EQ(half_widths(interval(-kInf, -kInf, kInf))[0], kInf);
  EXPECT_EQ(half_widths(interval(std::nan(""), std::nan(""), std::nan("")))[0], 0);
}

// 2^127 + 2^127 is beyond f32: a kernel that rounds holds Inf, one that fuses the next step holds 2^128.
TEST(Intervals, AnF32OverflowReachesInfinity) {
  const Real sum = binary(Binary::add, point(0x1p127), point(0x1p127));
  EXPECT_EQ((*sum.v)[0], 0x1p128);
  EXPECT_LT(sum.lows()[0], 0x1p128);
  EXPECT_GT(sum.lows()[0], 0x1p127);
  EXPECT_EQ(sum.highs()[0], kInf);
}

// One operation whose own rounding is the whole width: half of it on average. An inherited width keeps its share.
TEST(Intervals, TypicalSharesMix) {
  EXPECT_NEAR(binary(Binary::add, point(1), point(0x1p-30)).typical, 0.5, 1e-6);
  EXPECT_NEAR(binary(Binary::divide, point(1), point(3)).typical, 0.25, 1e-6);  // that rounding is half the width
  Real wide = interval(1, 2, 3);
  wide.typical = 0.125;
  EXPECT_NEAR(binary(Binary::add, wide, point(1)).typical, 0.125, 1e-6);
}

// A masked score: e^-Inf is 0 on every device, also where the neighbours of -Inf in the tensor are intervals.
TEST(Intervals, AFunctionOfInfinityIsItsLimit) {
  const Real zero = apply(Function::exp, interval(-kInf, -kInf, -kInf), {});
  EXPECT_EQ(zero.lows()[0], 0);
  EXPECT_EQ(zero.highs()[0], 0);
  const Real one = apply(Function::sigmoid, interval(kInf, kInf, kInf), {});
  EXPECT_EQ(one.lows()[0], 1);
  EXPECT_EQ(one.highs()[0], 1);
}

// e^88.8 is beyond f32, so that x/(1 + e^-x) is 0 at -88.8 and not -2.4e-37; at -87 it is not.
TEST(Intervals, AnExponentialMayOverflowInAReciprocal) {
  for (const Function f : {Function::sigmoid, Function::silu}) {
    const Real far = apply(f, point(-88.8), {});
    EXPECT_LE(far.lows()[0], (*far.v)[0]);
    EXPECT_GE(far.highs()[0], (*far.v)[0]);
    EXPECT_LE(far.lows()[0], 0);
    EXPECT_GE(far.highs()[0], 0);
    const Real near = apply(f, point(-87), {});
    EXPECT_GT(near.lows()[0] * near.highs()[0], 0);
  }
}

// e^-100 is 26.5 steps of 2^-149. x·tanh(log1p(e^x)) rounds such a number three times, each by up to a step on a
// device, and takes it 100 times: from 23.5 to 29.5 hundreds.
TEST(Intervals, AProductWithASubnormalLosesSteps) {
  const Real y = apply(Function::mish, point(-100), {});
  EXPECT_LE(y.lows()[0], -100 * 29 * 0x1p-149);
  EXPECT_GE(y.lows()[0], -100 * 30 * 0x1p-149);
  EXPECT_GE(y.highs()[0], -100 * 24 * 0x1p-149);
  EXPECT_LE(y.highs()[0], -100 * 23 * 0x1p-149);
}

Real sized(double v, double magnitude) {
  Real real = point(v);
  real.magnitude = share({magnitude});
  return real;
}

// Errors of what is not chosen do not reach the result; of two equal ones either may.
TEST(Magnitudes, OfTheLargerAndTheSmaller) {
  const auto chosen = [](Binary op, const Real& a, const Real& b) {
    return (*apply(op, Shaped{a, kOne}, Shaped{b, kOne}, {.magnitudes = true}).magnitude)[0];
  };
  EXPECT_EQ(chosen(Binary::maximum, sized(2, 5), sized(-1e30, 1e30)), 5);
  EXPECT_EQ(chosen(Binary::minimum, sized(2, 5), sized(1e30, 1e30)), 5);
  EXPECT_EQ(chosen(Binary::minimum, sized(2, 5), sized(-1, 7)), 7);
  EXPECT_EQ(chosen(Binary::maximum, sized(2, 5), sized(2, 3)), 5);
}

TEST(Magnitudes, OfTheLargestElement) {
  Real x;
  x.v = share({1, 3, -kInf, 2});
  x.magnitude = share({10, 4, kInf, 20});
  EXPECT_EQ((*largest_of(x, sum_layout({4}, {0})).magnitude)[0], 4);
}

TEST(Real, Broadcast) {
  const Doubles wide = broadcast(share({5, 7}), {1, 2, 1}, {2, 2, 2});
  EXPECT_EQ(*wide, (std::vector<double>{5, 5, 7, 7, 5, 5, 7, 7}));
  EXPECT_EQ(*broadcast(share({1, 2, 3}), {3}, {2, 3}), (std::vector<double>{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(*broadcast(share({4}), {}, {2}), (std::vector<double>{4, 4}));
}

TEST(Real, Granularity) {
  const auto of = [](std::vector<double> values) { return granularity(values); };
  EXPECT_EQ(of({6, 4, 0}), 2);
  EXPECT_EQ(of({0.75, -3}), 0.25);
  EXPECT_EQ(of({1, 0x1p24}), 1);
  EXPECT_EQ(of({1, 0x1p25}), 0);  // over 24 bits apart
  EXPECT_EQ(of({0, 0}), 0x1p1023);
  EXPECT_EQ(of({1, kInf}), 0);
  EXPECT_EQ(of({kNan}), 0);
  EXPECT_EQ(of({0x1p-149}), 0x1p-149);
}

// [2,3,2] summed over axes 0 and 2: terms at 0, 1 and 6, 7 from the bases 0, 2, 4.
TEST(Real, SumLayout) {
  const SumLayout layout = sum_layout({2, 3, 2}, {0, 2});
  EXPECT_EQ(layout.shape, (Shape{1, 3, 1}));
  EXPECT_EQ(layout.groups, 3);
  EXPECT_EQ(layout.terms, 4);
  EXPECT_EQ(layout.group_base, (std::vector<std::int64_t>{0, 2, 4}));
  EXPECT_EQ(layout.term_offset, (std::vector<std::int64_t>{0, 1, 6, 7}));
}

}  // namespace
}  // namespace fusecheck::run
