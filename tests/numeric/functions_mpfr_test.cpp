// MPFR as the judge of the functions: every value of the 16-bit formats, and random doubles.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "functions_oracle.hpp"
#include "fusecheck/functions.hpp"
#include "fusecheck/philox.hpp"
#include "numeric/functions_accurate.hpp"

namespace fusecheck {
namespace {

using testing::by_mpfr;
using testing::has_zero_below_0;
using testing::in_domain;
using testing::nearest_by_mpfr;
using testing::needs_positive;
using testing::Real;
using testing::same;

class EachFunction : public ::testing::TestWithParam<Function> {};
INSTANTIATE_TEST_SUITE_P(Functions, EachFunction, ::testing::ValuesIn(all_functions().begin(), all_functions().end()),
                         [](const auto& test) { return std::string(name_of(test.param)); });

// All 65,536 patterns of each 16-bit format.
TEST_P(EachFunction, IsCorrectlyRoundedIn16Bits) {
  const Function f = GetParam();
  for (const DType dtype : {DType::f16, DType::bf16}) {
    std::vector<double> x, y(65536);
    for (std::uint64_t pattern = 0; pattern < 65536; ++pattern) x.push_back(value_of(dtype, pattern));
    correctly_rounded(f, dtype, x, y);
    int compared = 0, wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!in_domain(f, x[i])) continue;
      ++compared;
      const double expected = nearest_by_mpfr(f, dtype, x[i]);
      if (same(y[i], expected)) continue;
      if (++wrong <= 3) ADD_FAILURE() << std::hexfloat << x[i] << " gives " << y[i] << ", expected " << expected;
    }
    std::cout << name_of(f) << " " << name_of(dtype) << ": " << compared << " values, " << wrong << " wrong\n";
    EXPECT_EQ(wrong, 0);
    // f16 has 2·31·1024 finite values, bf16 2·255·256·128/256; half of them, without +0, are positive.
    const int finite = dtype == DType::f16 ? 2 * 31 * 1024 : 2 * 255 * 128;
    EXPECT_EQ(compared, needs_positive(f) ? finite / 2 - 1 : finite);
  }
}

double uniform(const Philox& stream, std::uint64_t i) {
  const PhiloxBlock block = stream.block(i);
  return static_cast<double>((std::uint64_t{block[0]} << 21) ^ (block[1] >> 11)) * 0x1p-53;
}

// In turn: around 0, up to where the 16-bit formats end the function, up to where f64 does, and any double.
double random_argument(Function f, const Philox& stream, std::uint64_t i) {
  const double unit = 2 * uniform(stream, 2 * i) - 1;
  constexpr double reach[] = {2, 12, 40, 745};
  double x = unit * reach[i % 4];
  if (i % 5 == 0) {
    const PhiloxBlock block = stream.block(2 * i + 1);
    x = std::bit_cast<double>((std::uint64_t{block[0]} << 32) | block[1]);
  }
  return needs_positive(f) ? std::abs(x) : x;
}

// |evaluate - f| against the promise of functions.hpp: 20,000 points, 100,000 where FUSECHECK_EXHAUSTIVE is 1.
TEST_P(EachFunction, KeepsItsErrorBoundInF64) {
  const Function f = GetParam();
  const Philox stream(1, name_of(f));
  std::vector<double> x, y(testing::exhaustive() ? 100'000 : 20'000);
  for (std::uint64_t i = 0; x.size() < y.size(); ++i) {
    const double drawn = random_argument(f, stream, i);
    if (in_domain(f, drawn)) x.push_back(drawn);
  }
  evaluate(f, x, y);
  double worst = 0, worst_x = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Real exact = by_mpfr(f, x[i], 100);
    const double magnitude = std::abs(mpfr_get_d(exact.get(), MPFR_RNDN));
    if (std::isinf(magnitude) || std::isinf(y[i])) {
      EXPECT_TRUE(same(y[i], mpfr_get_d(exact.get(), MPFR_RNDN))) << std::hexfloat << x[i] << " gives " << y[i];
      continue;
    }
    const double error = std::abs(mpfr_get_d((exact - Real(y[i], 100)).get(), MPFR_RNDN));
    // Half of the smallest subnormal belongs to every rounding.
    if (error <= 0x1p-1074) continue;
    const bool near_zero = has_zero_below_0(f) && x[i] > -2 && x[i] < -0.5;
    const double relative = error / (near_zero ? std::max(magnitude, 0x1p-3) : magnitude);
    if (relative > worst) worst = relative, worst_x = x[i];
  }
  std::cout << name_of(f) << ": largest error " << worst * 0x1p53 << " of 2^-53 (at " << std::hexfloat << worst_x
            << std::defaultfloat << "), promised " << relative_error(f) * 0x1p53 << "\n";
  EXPECT_LE(worst, relative_error(f));
  EXPECT_GT(worst, 0x1p-56);  // of so many roundings some are far from exact, or nothing was measured
}

// What decides where f64 cannot: |accurate - f| within the error that it states, on 2,000 f32 arguments where f is in
// range, 300 bits of MPFR.
TEST_P(EachFunction, KeepsTheErrorThatItsAccurateFormStates) {
  const Function f = GetParam();
  const Philox stream(2, name_of(f));
  int compared = 0, wrong = 0;
  double worst = 0;
  for (std::uint64_t i = 0; compared < 2000; ++i) {
    const double x = round_to(DType::f32, random_argument(f, stream, i));
    if (!in_domain(f, x)) continue;
    const Real exact = by_mpfr(f, x, 300);
    const double magnitude = std::abs(mpfr_get_d(exact.get(), MPFR_RNDN));
    if (!(magnitude > 0x1p-160 && magnitude < 0x1p130)) continue;
    ++compared;
    const auto [value, error] = numeric::accurate(f, x);
    const Real ours = Real(value.high, 300) + Real(value.low, 300);
    const double off = std::abs(mpfr_get_d((exact - ours).get(), MPFR_RNDN));
    worst = std::max(worst, off / error);
    if (off > error && ++wrong <= 3) ADD_FAILURE() << std::hexfloat << x << " is off by " << off << " > " << error;
    // Where the error is not relative to a zero's neighbourhood, 2^-80 is what the rounding to f32 may count on.
    EXPECT_LE(error, 0x1p-80 * std::max(magnitude, has_zero_below_0(f) ? 0x1p-8 : 0));
  }
  std::cout << name_of(f) << ": accurate form off by at most " << worst << " of what it states\n";
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(worst, f == Function::sqrt || f == Function::rsqrt ? 0x1p-40 : 0x1p-20);  // something was measured
}

}  // namespace
}  // namespace fusecheck
