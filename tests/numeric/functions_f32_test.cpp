// The functions on f32 values: all of them on demand, every 997th block of 65,536 otherwise.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "functions_oracle.hpp"
#include "fusecheck/functions.hpp"

namespace fusecheck {
namespace {

using testing::in_domain;
using testing::nearest_by_mpfr;
using testing::needs_positive;
using testing::same;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return x > 40 ? x + std::exp(-x) : std::log1p(std::exp(x)); }

// The functions in order, up to the derivatives, by this machine's libm. Its double functions err by a few 2^-53 and
// these formulas multiply that by at most 2^9 where f32 does not underflow (e^-x of gelu_tanh, x up to 200): far below
// 2^-40.
constexpr std::array<double (*)(double), 13> by_libm = {
    [](double x) { return std::exp(x); },
    [](double x) { return std::expm1(x); },
    [](double x) { return std::log(x); },
    [](double x) { return std::tanh(x); },
    [](double x) { return std::erf(x); },
    [](double x) { return sigmoid(x); },
    [](double x) { return std::sqrt(x); },
    [](double x) { return 1 / std::sqrt(x); },
    [](double x) { return x * (0.5 * std::erfc(x * -0.70710678118654752)); },
    [](double x) { return x * sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x)); },
    [](double x) { return x * sigmoid(x); },
    [](double x) { return softplus(x); },
    [](double x) { return x * std::tanh(softplus(x)); },
};

struct Count {
  std::uint64_t compared = 0, by_mpfr = 0, wrong = 0;
};

// The f32 value nearest to f(x): libm and 2^-40 where both ends round to one value, MPFR elsewhere.
double nearest(Function f, double x, Count& count) {
  const double about = by_libm[static_cast<std::size_t>(f)](x);
  const float low = static_cast<float>(about * (1 - 0x1p-40)), high = static_cast<float>(about * (1 + 0x1p-40));
  if (std::bit_cast<std::uint32_t>(low) == std::bit_cast<std::uint32_t>(high)) return static_cast<double>(low);
  ++count.by_mpfr;
  return nearest_by_mpfr(f, DType::f32, x);
}

// gelu, gelu_tanh, silu and mish have a minimum; the others up to softplus rise or fall throughout.
bool is_monotone(Function f) { return f < Function::gelu || f == Function::softplus; }

// 65,536 consecutive f32 patterns. Where a monotone function rounds to one value at both ends of a block, it does so in
// between: overflow, underflow and saturation need no oracle for each argument.
void compare_block(Function f, std::uint32_t first, std::vector<double>& x, std::vector<double>& y, Count& count) {
  x.resize(65536);
  std::size_t n = 0;
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const double value = static_cast<double>(std::bit_cast<float>(first + i));
    x[n] = value;
    n += in_domain(f, value) ? 1U : 0U;
  }
  x.resize(n);
  y.resize(n);
  count.compared += n;
  if (n == 0) return;
  correctly_rounded(f, DType::f32, x, y);
  const double front = nearest(f, x.front(), count);
  const bool constant = is_monotone(f) && same(front, nearest(f, x.back(), count));
  for (std::size_t i = 0; i < n; ++i) {
    const double expected = constant ? front : nearest(f, x[i], count);
    if (!same(y[i], expected) && ++count.wrong <= 3) {
      ADD_FAILURE() << std::hexfloat << x[i] << " gives " << y[i] << ", expected " << expected;
    }
  }
}

class EachFunctionOnF32 : public ::testing::TestWithParam<Function> {};
INSTANTIATE_TEST_SUITE_P(Functions, EachFunctionOnF32,
                         ::testing::ValuesIn(all_functions().begin(), all_functions().begin() + by_libm.size()),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST_P(EachFunctionOnF32, IsCorrectlyRounded) {
  const Function f = GetParam();
  const std::uint32_t stride = testing::exhaustive() ? 1 : 997;
  Count count;
  std::vector<double> x, y;
  for (std::uint32_t block = 0; block < 65536; block += stride) compare_block(f, block << 16, x, y, count);
  std::cout << name_of(f) << " f32: " << count.compared << " values, " << count.by_mpfr << " by MPFR, " << count.wrong
            << " wrong\n";
  EXPECT_EQ(count.wrong, 0U);
  // 2·255·2^23 values are finite; half of them, without +0, are positive. The sample's 66 blocks (65,536/997 rounded
  // up) are 33 of either sign, none of them among the NaNs.
  const std::uint64_t finite = testing::exhaustive() ? 2 * std::uint64_t{255} * 0x80'0000U : 66U * 65536U;
  EXPECT_EQ(count.compared, needs_positive(f) ? finite / 2 - 1 : finite);
}

class EachDerivative : public ::testing::TestWithParam<Function> {};
INSTANTIATE_TEST_SUITE_P(Functions, EachDerivative,
                         ::testing::ValuesIn(all_functions().begin() + by_libm.size(), all_functions().end()),
                         [](const auto& test) { return std::string(name_of(test.param)); });

// No libm has these: MPFR alone, some 40,000 values, the step of the patterns a prime.
TEST_P(EachDerivative, IsCorrectlyRoundedInF32) {
  const Function f = GetParam();
  std::vector<double> x;
  for (std::uint64_t pattern = 1; pattern < 0x1'0000'0000; pattern += 104'729) {
    const double value = value_of(DType::f32, pattern);
    if (in_domain(f, value)) x.push_back(value);
  }
  // 2^32/104,729 is 41,010.2; 1 in 256 patterns is no number.
  EXPECT_GT(x.size(), 40'800U);
  std::vector<double> y(x.size());
  correctly_rounded(f, DType::f32, x, y);
  int wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (same(y[i], nearest_by_mpfr(f, DType::f32, x[i]))) continue;
    if (++wrong <= 3) ADD_FAILURE() << std::hexfloat << x[i] << " gives " << y[i];
  }
  std::cout << name_of(f) << " f32: " << x.size() << " values by MPFR, " << wrong << " wrong\n";
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace fusecheck
