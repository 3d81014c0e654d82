// MPFR as the judge of rounding and of f16 fused multiply-adds.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "fusecheck/dtype.hpp"
#include "fusecheck/philox.hpp"
#include "numeric/sums.hpp"

namespace fusecheck {
namespace {

// MPFR's exponents for a format, its significands lying in [1/2, 1); restored at the end.
class ExponentRange {
 public:
  explicit ExponentRange(const FormatInfo& f) : emin_(mpfr_get_emin()), emax_(mpfr_get_emax()) {
    mpfr_set_emin(f.emin - f.precision + 2);
    mpfr_set_emax(f.emax + 1);
  }
  ExponentRange(const ExponentRange&) = delete;
  ExponentRange& operator=(const ExponentRange&) = delete;
  ~ExponentRange() {
    mpfr_set_emin(emin_);
    mpfr_set_emax(emax_);
  }

 private:
  mpfr_exp_t emin_, emax_;
};

double by_mpfr(DType format, double x, mpfr_rnd_t direction) {
  const FormatInfo& f = format_of(format);
  mpfr_t y;
  mpfr_init2(y, f.precision);
  const ExponentRange range(f);
  const int inexact = mpfr_set_d(y, x, direction);
  mpfr_subnormalize(y, inexact, direction);
  const double result = mpfr_get_d(y, MPFR_RNDN);
  mpfr_clear(y);
  return result;
}

// To nearest, ties away: x/quantum rounded by mpfr_round, which does just that.
double away_by_mpfr(DType format, double x) {
  const FormatInfo& f = format_of(format);
  mpfr_t scaled;
  mpfr_init2(scaled, 53);
  mpfr_set_d(scaled, x, MPFR_RNDN);
  const long exponent = std::max(static_cast<long>(mpfr_get_exp(scaled)) - 1, static_cast<long>(f.emin));
  const long quantum = exponent - f.precision + 1;
  mpfr_mul_2si(scaled, scaled, -quantum, MPFR_RNDN);
  mpfr_round(scaled, scaled);
  mpfr_mul_2si(scaled, scaled, quantum, MPFR_RNDN);
  const double result = mpfr_get_d(scaled, MPFR_RNDN);
  mpfr_clear(scaled);
  const double largest = largest_finite(format);
  if (result > largest) return std::numeric_limits<double>::infinity();
  return result < -largest ? -std::numeric_limits<double>::infinity() : result;
}

// Exponents from below the smallest subnormal to above the largest value; every other significand cut to few bits, so
// that a large part are values or ties.
double random_double(const Philox& stream, std::uint64_t i, const FormatInfo& f) {
  const PhiloxBlock block = stream.block(i);
  const int exponent = static_cast<int>(stream.integer(i + (1U << 20), f.emin - f.precision - 3, f.emax + 2));
  std::uint64_t fraction = ((std::uint64_t{block[0]} << 32) | block[1]) >> 12;
  if (i % 2 == 0) fraction &= ~std::uint64_t{0} << (52 - std::min<std::uint32_t>(block[2] % 30, 52));
  const double significand = 1 + static_cast<double>(fraction) * 0x1p-52;
  const double value = significand * std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
  return block[3] % 2 == 0 ? value : -value;
}

bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

void check_rounding(DType format) {
  constexpr std::uint64_t n = 100000;
  const Philox stream(5, name_of(format));
  std::size_t wrong = 0, inexact = 0, ties = 0, subnormal = 0, infinite = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const double x = random_double(stream, i, format_of(format));
    const double even = by_mpfr(format, x, MPFR_RNDN), zero = by_mpfr(format, x, MPFR_RNDZ);
    const double away = away_by_mpfr(format, x), outward = by_mpfr(format, x, MPFR_RNDA);
    const bool exact = same(zero, x);
    // Of the two neighbours the one with an odd pattern; the largest finite value where there is no second one.
    const bool zero_is_odd = bits_of(format, zero) % 2 == 1;
    const double odd = exact || zero_is_odd || outward - outward != 0 ? zero : outward;
    wrong += same(round_to(format, x), even) ? 0U : 1U;
    wrong += same(round_to(format, x, {.direction = Rounding::toward_zero}), zero) ? 0U : 1U;
    wrong += same(round_to(format, x, {.direction = Rounding::up}), by_mpfr(format, x, MPFR_RNDU)) ? 0U : 1U;
    wrong += same(round_to(format, x, {.direction = Rounding::down}), by_mpfr(format, x, MPFR_RNDD)) ? 0U : 1U;
    wrong += same(round_to(format, x, {.direction = Rounding::nearest_away}), away) ? 0U : 1U;
    wrong += same(round_to(format, x, {.direction = Rounding::odd}), odd) ? 0U : 1U;
    inexact += exact ? 0U : 1U;
    ties += same(even, away) ? 0U : 1U;
    subnormal += std::abs(even) < smallest_normal(format) ? 1U : 0U;
    infinite += even - even != 0 ? 1U : 0U;
  }
  EXPECT_EQ(wrong, 0U);
  // The sample must hold what it is meant to test.
  EXPECT_GT(inexact, n / 4);
  EXPECT_GT(ties, 100U);
  EXPECT_GT(subnormal, 100U);
  EXPECT_GT(infinite, 100U);
}

TEST(Mpfr, RoundingToF16) { check_rounding(DType::f16); }
TEST(Mpfr, RoundingToBf16) { check_rounding(DType::bf16); }
TEST(Mpfr, RoundingToF32) { check_rounding(DType::f32); }

double fma_by_mpfr(double a, double b, double c) {
  const FormatInfo& f = format_of(DType::f16);
  mpfr_t x, y, z, result;
  mpfr_inits2(53, x, y, z, static_cast<mpfr_ptr>(nullptr));
  mpfr_init2(result, f.precision);
  mpfr_set_d(x, a, MPFR_RNDN);
  mpfr_set_d(y, b, MPFR_RNDN);
  mpfr_set_d(z, c, MPFR_RNDN);
  double value = 0;
  {
    const ExponentRange range(f);
    const int inexact = mpfr_fma(result, x, y, z, MPFR_RNDN);
    mpfr_subnormalize(result, inexact, MPFR_RNDN);
    value = mpfr_get_d(result, MPFR_RNDN);
  }
  mpfr_clears(x, y, z, result, static_cast<mpfr_ptr>(nullptr));
  return value;
}

// Raw finite f16 patterns, every second time with c near -a·b or near twice the product, where the bits meet.
TEST(Mpfr, FusedMultiplyAddOfF16) {
  const Philox stream(6, "fma");
  std::size_t wrong = 0, inexact = 0, compared = 0;
  for (std::uint64_t i = 0; i < 200000; ++i) {
    const PhiloxBlock block = stream.block(i);
    const double a = value_of(DType::f16, block[0] & 0xffff), b = value_of(DType::f16, block[1] & 0xffff);
    const double near = round_to(DType::f16, a * b * (block[3] % 2 == 0 ? -1.0 : 2.0));
    const double c = i % 2 == 0 ? value_of(DType::f16, block[2] & 0xffff) : near;
    if (!(std::abs(a) + std::abs(b) + std::abs(c) < 1e6)) continue;
    const double expected = fma_by_mpfr(a, b, c);
    const auto fa = static_cast<float>(a), fb = static_cast<float>(b);
    const float actual = numeric::dot_f16({&fa, 1}, {&fb, 1}, static_cast<float>(c));
    wrong += expected == static_cast<double>(actual) ? 0U : 1U;
    inexact += a * b + c == expected ? 0U : 1U;
    ++compared;
  }
  EXPECT_EQ(wrong, 0U);
  EXPECT_GT(compared, 120000U);
  EXPECT_GT(inexact, compared / 4);
}

}  // namespace
}  // namespace fusecheck
