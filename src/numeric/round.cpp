// One rounding from double, with integers: the definition that the array code must reproduce bit for bit.
#include <algorithm>
#include <array>
#include <cstdint>

#include "fusecheck/dtype.hpp"
#include "numeric/binary64.hpp"

namespace fusecheck {
namespace {

using numeric::absolute;
using numeric::canonical_nan;
using numeric::infinity;
using numeric::is_negative;
using numeric::power_of_two;
using numeric::with_sign;

// What is cut off, in units where `half` is half of the last kept bit.
struct Remainder {
  std::uint64_t rest, half;
};

std::uint64_t round_significand(std::uint64_t kept, const Remainder& cut, Rounding direction, bool negative) {
  if (cut.rest == 0) return kept;
  switch (direction) {
    case Rounding::nearest_even:
      return kept + (cut.rest > cut.half || (cut.rest == cut.half && kept % 2 == 1) ? 1U : 0U);
    case Rounding::nearest_away:
      return kept + (cut.rest >= cut.half ? 1U : 0U);
    case Rounding::toward_zero:
      return kept;
    case Rounding::up:
      return kept + (negative ? 0U : 1U);
    case Rounding::down:
      return kept + (negative ? 1U : 0U);
    case Rounding::odd:
      return kept | 1U;
  }
  return kept;
}

// IEEE 754-2019 7.4: a direction that never moves away from zero on this side delivers the largest finite value, the
// others infinity. Rounding to odd counts as the former: the largest finite significand is odd.
bool overflows_to_infinity(Rounding direction, bool negative) {
  switch (direction) {
    case Rounding::nearest_even:
    case Rounding::nearest_away:
      return true;
    case Rounding::up:
      return !negative;
    case Rounding::down:
      return negative;
    case Rounding::toward_zero:
    case Rounding::odd:
      return false;
  }
  return true;
}

// |x| rounded as if the exponent had no upper end; x finite and not zero.
double round_magnitude(const FormatInfo& format, double x, Rounding direction) {
  const auto [significand, exponent] = numeric::decompose(x);
  const int quantum = std::max(exponent, format.emin) - format.precision + 1;
  const int shift = quantum - (exponent - 52);
  if (shift <= 0) return absolute(x);
  // Beyond 63 places nothing is kept and the rest is below half, as it is at 63.
  const int places = std::min(shift, 63);
  const std::uint64_t one = std::uint64_t{1} << places;
  const std::uint64_t kept =
      round_significand(significand >> places, {significand & (one - 1), one / 2}, direction, is_negative(x));
  return static_cast<double>(kept) * power_of_two(quantum);
}

double round_floating(DType dtype, double x, const RoundingRule& rule) {
  if (x != x) return canonical_nan;
  if (x == 0) return x;
  const bool negative = is_negative(x);
  const double largest = largest_finite(dtype);
  if (absolute(x) == infinity) return with_sign(rule.overflow == Overflow::saturate ? largest : infinity, negative);
  double magnitude = round_magnitude(format_of(dtype), x, rule.direction);
  if (magnitude > largest) {
    const bool to_infinity = rule.overflow == Overflow::infinity && overflows_to_infinity(rule.direction, negative);
    magnitude = to_infinity ? infinity : largest;
  }
  if (rule.subnormals == Subnormals::flush && magnitude < smallest_normal(dtype)) magnitude = 0;
  return with_sign(magnitude, negative);
}

struct IntegerRange {
  double lowest, highest;
};

// The highest double that fits into i64 is 2^63 - 2^10.
IntegerRange range_of(DType dtype) {
  if (dtype == DType::i64) return {-0x1p63, 0x1p63 - 0x1p10};
  if (dtype == DType::i32) return {-0x1p31, 0x1p31 - 1};
  if (dtype == DType::u8) return {0, 255};
  return {0, 1};
}

double round_integer(DType dtype, double x) {
  if (x != x) return 0;
  if (dtype == DType::boolean) return x != 0 ? 1 : 0;
  const auto [lowest, highest] = range_of(dtype);
  const double clamped = std::clamp(x, lowest, highest);
  const double magnitude = absolute(clamped);
  // From 2^52 on every double is an integer; below, adding 2^52 rounds to a multiple of 1, ties to even.
  const double whole = magnitude < 0x1p52 ? (magnitude + 0x1p52) - 0x1p52 : magnitude;
  return whole == 0 ? 0 : with_sign(whole, is_negative(clamped));
}

}  // namespace

double round_to(DType format, double x, const RoundingRule& rule) {
  return is_floating(format) ? round_floating(format, x, rule) : round_integer(format, x);
}

}  // namespace fusecheck
