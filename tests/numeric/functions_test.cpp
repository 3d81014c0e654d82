// The functions where a person knows the answer: limits, exact values, ties; and the same bits on every path.
#include "fusecheck/functions.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "fusecheck/error.hpp"
#include "fusecheck/philox.hpp"
#include "numeric/functions_dispatch.hpp"

namespace fusecheck {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr DType formats[] = {DType::f16, DType::bf16, DType::f32};

std::uint64_t pattern(double x) { return std::bit_cast<std::uint64_t>(x); }
double rounded(Function f, DType dtype, double x) {
  double y = 0;
  correctly_rounded(f, dtype, {&x, 1}, {&y, 1});
  return y;
}

struct Limits {
  Function function;
  double at_plus_0, at_minus_0, at_plus_infinity, at_minus_infinity;
};

// From the definitions; a limit of 0 has the sign of the side from which it is approached. Exact in every format but
// for log 2 (softplus), 2/√π (erf') and 3/5 (mish', from tanh(log 2) = (4 - 1)/(4 + 1)), the doubles nearest to them.
constexpr double log_2 = 0x1.62e42fefa39efp-1, two_over_root_pi = 0x1.20dd750429b6dp+0;
const std::vector<Limits> limits = {
    {Function::exp, 1, 1, inf, 0},
    {Function::expm1, 0, -0.0, inf, -1},
    {Function::log, -inf, -inf, inf, nan},
    {Function::tanh, 0, -0.0, 1, -1},
    {Function::erf, 0, -0.0, 1, -1},
    {Function::sigmoid, 0.5, 0.5, 1, 0},
    {Function::sqrt, 0, -0.0, inf, nan},
    {Function::rsqrt, inf, -inf, 0, nan},
    {Function::gelu, 0, -0.0, inf, -0.0},
    {Function::gelu_tanh, 0, -0.0, inf, -0.0},
    {Function::silu, 0, -0.0, inf, -0.0},
    {Function::softplus, log_2, log_2, inf, 0},
    {Function::mish, 0, -0.0, inf, -0.0},
    {Function::tanh_derivative, 1, 1, 0, 0},
    {Function::erf_derivative, two_over_root_pi, two_over_root_pi, 0, 0},
    {Function::sigmoid_derivative, 0.25, 0.25, 0, 0},
    {Function::gelu_derivative, 0.5, 0.5, 1, -0.0},
    {Function::gelu_tanh_derivative, 0.5, 0.5, 1, -0.0},
    {Function::silu_derivative, 0.5, 0.5, 1, -0.0},
    {Function::mish_derivative, 0.6, 0.6, 1, -0.0},
};

TEST(Functions, TakeTheirLimits) {
  ASSERT_EQ(limits.size(), all_functions().size());
  for (const Limits& l : limits) {
    const std::vector<double> x = {0.0, -0.0, inf, -inf, nan, std::copysign(nan, -1.0)};
    const std::vector<double> expected = {l.at_plus_0, l.at_minus_0, l.at_plus_infinity, l.at_minus_infinity, nan, nan};
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(pattern(evaluate(l.function, x[i])), pattern(expected[i])) << name_of(l.function) << " of " << x[i];
      for (const DType dtype : formats) {
        EXPECT_EQ(pattern(rounded(l.function, dtype, x[i])), pattern(round_to(dtype, expected[i])))
            << name_of(l.function) << " of " << x[i] << " in " << name_of(dtype);
      }
    }
  }
}

TEST(Functions, HaveNoValueOutsideTheirDomain) {
  for (const Function f : {Function::log, Function::sqrt, Function::rsqrt}) {
    for (const double x : {-1.0, -0x1p-1074, -1e300}) EXPECT_EQ(pattern(evaluate(f, x)), 0x7ff8000000000000U);
    for (const DType dtype : formats) EXPECT_EQ(pattern(rounded(f, dtype, -1)), 0x7ff8000000000000U);
  }
}

TEST(Functions, AreExactWhereTheValueIsADouble) {
  EXPECT_EQ(pattern(evaluate(Function::log, 1)), pattern(0.0));
  for (int k = -537; k <= 511; ++k) {
    const double x = std::ldexp(1.0, 2 * k);
    EXPECT_EQ(evaluate(Function::sqrt, x), std::ldexp(1.0, k));
    EXPECT_EQ(evaluate(Function::rsqrt, x), std::ldexp(1.0, -k));
  }
  // x + O(x³) is x below 2^-30, subnormals included.
  for (const double x : {0x1.8p-30, 0x1p-1074, -0x1.23456p-700}) EXPECT_EQ(evaluate(Function::tanh, x), x);
  // The last finite exponentials: 1024·log 2 = 709.7827..., -1075·log 2 = -745.1332...
  EXPECT_LT(evaluate(Function::exp, 709.78), inf);
  EXPECT_EQ(evaluate(Function::exp, 709.79), inf);
  EXPECT_EQ(evaluate(Function::exp, -745.13), 0x1p-1074);
  EXPECT_EQ(evaluate(Function::exp, -745.14), 0);
}

// f(x) = x/2 + c·x² + ..., c > 0, for the smallest numbers of a format: x/2 lies on a tie for odd multiples of the
// smallest subnormal s. s/2 goes up to s, -s/2 to -0; 3s/2 up to 2s, -3s/2 to -s; 5s/2 up to 3s, where the even
// neighbour is 2s.
TEST(Functions, BreakTiesByWhatFollows) {
  for (const Function f : {Function::gelu, Function::gelu_tanh, Function::silu}) {
    for (const DType dtype : formats) {
      const double s = smallest_subnormal(dtype);
      const std::vector<double> x = {s, -s, 3 * s, -3 * s, 5 * s, -7 * s};
      const std::vector<double> expected = {s, -0.0, 2 * s, -s, 3 * s, -3 * s};
      for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_EQ(pattern(rounded(f, dtype, x[i])), pattern(expected[i]))
            << name_of(f) << " " << name_of(dtype) << " " << x[i] / s;
      }
    }
  }
}

// σ(x) = 1/2 + x/4 - x³/48: for x = 3·2^-23, 2^-71 below the tie at 1/2 + 3·2^-25, whose even neighbour is above; and
// for -3·2^-24 above the tie at 1/2 - 3·2^-26, whose even neighbour is below.
TEST(Functions, SeeWhatLiesBeyondDouble) {
  EXPECT_EQ(rounded(Function::sigmoid, DType::f32, 3 * 0x1p-23), 0.5 + 0x1p-24);
  EXPECT_EQ(rounded(Function::sigmoid, DType::f32, -3 * 0x1p-24), 0.5 - 0x1p-25);
}

// log(65520) = 11.08998 and log(2^128 - 2^103) = 88.7228391; log(2^-25) = -17.3287, log(2^-150) = -103.97208.
TEST(Functions, OverflowAndUnderflowWhereTheFormatDoes) {
  EXPECT_EQ(rounded(Function::exp, DType::f16, 11.0859375), 65248);  // e^11.0859375 = 65255.69, 32 apart
  EXPECT_EQ(rounded(Function::exp, DType::f16, 11.09375), inf);
  EXPECT_LT(rounded(Function::exp, DType::f32, 0x1.62e42ep+6), inf);  // 88.7228317
  EXPECT_EQ(rounded(Function::exp, DType::f32, 0x1.62e43p+6), inf);   // 88.7228394
  EXPECT_EQ(rounded(Function::exp, DType::f16, -17.328125), 0x1p-24);
  EXPECT_EQ(pattern(rounded(Function::exp, DType::f16, -17.34375)), pattern(0.0));
  EXPECT_EQ(rounded(Function::exp, DType::f32, -103.96875), 0x1p-149);
  EXPECT_EQ(pattern(rounded(Function::exp, DType::f32, -103.984375)), pattern(0.0));
  EXPECT_EQ(pattern(rounded(Function::silu, DType::f32, -200)), pattern(-0.0));
  EXPECT_EQ(rounded(Function::gelu, DType::f16, 65504), 65504);
}

// Every instruction set, every place in a vector, in place or not: the bits of one element alone.
TEST(Functions, HaveTheSameBitsOnEveryPath) {
  const Philox stream(1, "functions");
  std::vector<double> x = {0.0, -0.0, inf, -inf, nan, 0x1p-1074, -0x1p-1022, 0x1.fffffffffffffp+1023};
  for (std::uint64_t i = 0; x.size() < 4003; ++i) {
    const PhiloxBlock block = stream.block(i);
    const double any = std::bit_cast<double>((std::uint64_t{block[0]} << 32) | block[1]);
    x.push_back(i % 4 == 0 ? any : 20 * stream.normal(i));
  }
  int levels = 0;
  for (int l = 0; l < numeric::function_level_count; ++l) {
    const numeric::FunctionLevel& level = numeric::function_level(l);
    if (!level.available()) continue;
    ++levels;
    for (const Function f : all_functions()) {
      const numeric::FunctionLoop loop = level.loops()[static_cast<std::size_t>(f)];
      for (const std::size_t n : {x.size(), std::size_t{1}, std::size_t{7}, std::size_t{9}}) {
        std::vector<double> y(n + 1, 42), in_place(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n));
        loop(x.data(), y.data(), n);
        loop(in_place.data(), in_place.data(), n);
        std::size_t different = 0;
        for (std::size_t i = 0; i < n; ++i) {
          different += pattern(y[i]) != pattern(evaluate(f, x[i])) || pattern(in_place[i]) != pattern(y[i]) ? 1U : 0U;
        }
        EXPECT_EQ(different, 0U) << name_of(f) << " " << level.name << " n=" << n;
        EXPECT_EQ(y[n], 42) << name_of(f) << " " << level.name << " n=" << n << " writes beyond its end";
      }
    }
  }
  EXPECT_GE(levels, 1);
}

TEST(Functions, RefuseWhatTheyCannotDo) {
  std::vector<double> x(3), y(2);
  EXPECT_THROW(evaluate(Function::exp, x, y), Error);
  EXPECT_THROW(correctly_rounded(Function::exp, DType::f32, x, y), Error);
  y.resize(3);
  EXPECT_THROW(correctly_rounded(Function::exp, DType::f64, x, y), Error);
  EXPECT_THROW(correctly_rounded(Function::exp, DType::i32, x, y), Error);
}

}  // namespace
}  // namespace fusecheck
