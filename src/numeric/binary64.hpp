// The fields of a double, for code that rounds with integers. Every finite non-zero double is
// significand · 2^(exponent-52) with 2^52 <= significand < 2^53, subnormals included.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace fusecheck::numeric {

static_assert(std::numeric_limits<double>::is_iec559 && std::numeric_limits<float>::is_iec559);

inline constexpr double canonical_nan = std::bit_cast<double>(std::uint64_t{0x7ff8'0000'0000'0000});
inline constexpr float canonical_nan_f32 = std::bit_cast<float>(std::uint32_t{0x7fc0'0000});
inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr std::uint64_t sign_mask = std::uint64_t{1} << 63;

// 2^exponent for -1074 <= exponent <= 1023.
constexpr double power_of_two(int exponent) {
  return exponent >= -1022 ? std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52)
                           : std::bit_cast<double>(std::uint64_t{1} << (exponent + 1074));
}

constexpr bool is_negative(double x) { return (std::bit_cast<std::uint64_t>(x) & sign_mask) != 0; }
constexpr double absolute(double x) { return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~sign_mask); }
constexpr double with_sign(double magnitude, bool negative) { return negative ? -magnitude : magnitude; }

struct Decomposed {
  std::uint64_t significand;
  int exponent;  // floor(log2|x|)
};

// x must be finite and not zero.
constexpr Decomposed decompose(double x) {
  const std::uint64_t magnitude = std::bit_cast<std::uint64_t>(x) & ~sign_mask;
  const int biased = static_cast<int>(magnitude >> 52);
  const std::uint64_t fraction = magnitude & ((std::uint64_t{1} << 52) - 1);
  if (biased != 0) return {fraction | (std::uint64_t{1} << 52), biased - 1023};
  const int leading = 63 - std::countl_zero(fraction);
  return {fraction << (52 - leading), leading - 1074};
}

}  // namespace fusecheck::numeric
