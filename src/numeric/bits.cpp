// Bit patterns, spacing and distance of floating-point values.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>

#include "fusecheck/dtype.hpp"
#include "fusecheck/error.hpp"
#include "numeric/binary64.hpp"

namespace fusecheck {
namespace {

using numeric::absolute;
using numeric::canonical_nan;
using numeric::infinity;
using numeric::is_negative;
using numeric::power_of_two;
using numeric::with_sign;

constexpr std::int64_t no_distance = std::numeric_limits<std::int64_t>::max();

// Layout of an interchange format: sign, biased exponent, fraction of precision - 1 bits.
struct Layout {
  int fraction_bits;
  std::uint64_t fraction_mask, infinity_bits, sign_bit;
};

Layout layout_of(DType dtype) {
  const FormatInfo& f = format_of(dtype);
  const int fraction_bits = f.precision - 1;
  const std::uint64_t largest_biased = static_cast<std::uint64_t>(2 * f.emax + 1);
  return {fraction_bits, (std::uint64_t{1} << fraction_bits) - 1, largest_biased << fraction_bits,
          std::uint64_t{1} << (8 * size_of(dtype) - 1)};
}

[[noreturn]] void not_a_value(DType dtype, double value) {
  internal_error("bits_of: " + std::to_string(value) + " is no value of " + std::string(name_of(dtype)) +
                 ": round it first");
}

// The position of |value| in the ascending list of the format's magnitudes, which is its pattern without the sign.
std::uint64_t magnitude_bits(DType dtype, double value) {
  const Layout layout = layout_of(dtype);
  if (value == 0) return 0;
  if (absolute(value) == infinity) return layout.infinity_bits;
  const FormatInfo& f = format_of(dtype);
  const auto [significand, exponent] = numeric::decompose(value);
  const int shift = std::max(exponent, f.emin) - f.precision + 1 - (exponent - 52);
  if (exponent > f.emax || shift > 52 || (significand & ((std::uint64_t{1} << shift) - 1)) != 0) {
    not_a_value(dtype, value);
  }
  // A normal significand carries its hidden bit, which adds one to the biased exponent below.
  const std::uint64_t biased = exponent < f.emin ? 0 : static_cast<std::uint64_t>(exponent - f.emin);
  return (biased << layout.fraction_bits) + (significand >> shift);
}

std::uint64_t integer_bits(DType dtype, double value) {
  if (round_to(dtype, value) != value) not_a_value(dtype, value);
  const std::uint64_t all = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  return size_of(dtype) == 8 ? all : all & ((std::uint64_t{1} << (8 * size_of(dtype))) - 1);
}

double integer_value(DType dtype, std::uint64_t bits) {
  if (dtype == DType::boolean) return (bits & 0xff) != 0 ? 1 : 0;
  if (dtype == DType::u8) return static_cast<double>(bits & 0xff);
  if (dtype == DType::i32) return static_cast<double>(static_cast<std::int32_t>(static_cast<std::uint32_t>(bits)));
  return static_cast<double>(static_cast<std::int64_t>(bits));
}

std::int64_t integer_distance(double a, double b) {
  if (a != a || b != b) return a != a && b != b ? 0 : no_distance;
  const double distance = absolute(a - b);
  return distance < 0x1p63 ? static_cast<std::int64_t>(distance) : no_distance;
}

}  // namespace

std::uint64_t bits_of(DType format, double value) {
  if (!is_floating(format)) return integer_bits(format, value);
  const Layout layout = layout_of(format);
  if (value != value) return layout.infinity_bits | (std::uint64_t{1} << (layout.fraction_bits - 1));
  return magnitude_bits(format, value) | (is_negative(value) ? layout.sign_bit : 0);
}

double value_of(DType format, std::uint64_t bits) {
  if (!is_floating(format)) return integer_value(format, bits);
  const Layout layout = layout_of(format);
  const FormatInfo& f = format_of(format);
  const std::uint64_t magnitude = bits & (layout.sign_bit - 1);
  const bool negative = (bits & layout.sign_bit) != 0;
  if (magnitude > layout.infinity_bits) return canonical_nan;
  if (magnitude == layout.infinity_bits) return with_sign(infinity, negative);
  const std::uint64_t fraction = magnitude & layout.fraction_mask;
  const int biased = static_cast<int>(magnitude >> layout.fraction_bits);
  const std::uint64_t significand = biased == 0 ? fraction : fraction + layout.fraction_mask + 1;
  const int quantum = f.emin + std::max(biased, 1) - 1 - layout.fraction_bits;
  return with_sign(static_cast<double>(significand) * power_of_two(quantum), negative);
}

double ulp(DType format, double x) {
  const FormatInfo& f = format_of(format);
  if (x != x) return canonical_nan;
  if (x == 0) return smallest_subnormal(format);
  const int exponent = absolute(x) == infinity ? f.emax : numeric::decompose(x).exponent;
  return power_of_two(std::clamp(exponent, f.emin, f.emax) - f.precision + 1);
}

std::int64_t ulp_distance(DType format, double a, double b) {
  if (!is_floating(format)) return integer_distance(a, b);
  if (a != a || b != b) return a != a && b != b ? 0 : no_distance;
  if (a == b) return 0;
  if (absolute(a) == infinity || absolute(b) == infinity) return no_distance;
  const std::uint64_t from = magnitude_bits(format, a);
  const std::uint64_t to = magnitude_bits(format, b);
  // On one side of zero the positions differ; across it they add up. Only f64 can exceed 2^63-1.
  const std::uint64_t distance = is_negative(a) == is_negative(b) ? std::max(from, to) - std::min(from, to) : from + to;
  return static_cast<std::int64_t>(std::min(distance, static_cast<std::uint64_t>(no_distance)));
}

}  // namespace fusecheck
