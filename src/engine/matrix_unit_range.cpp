#include "engine/matrix_unit_range.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "engine/kernels.hpp"

namespace fusecheck::engine {

namespace {

std::int32_t biased_exponent(float x) {
  return static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(x) >> 23 & 0xffu) - 127;
}

struct Range {
  std::int32_t least = std::numeric_limits<std::int32_t>::max();  // exponents of the values that are not 0
  std::int32_t most = std::numeric_limits<std::int32_t>::min();
  int significant_bits = 0;
};

Range range_of(std::span<const float> x) {
  Range range;
  std::uint32_t significands = 0;
  for (const float value : x) {
    if (value == 0) continue;
    range.least = std::min(range.least, biased_exponent(value));
    range.most = std::max(range.most, biased_exponent(value));
    significands |= (std::bit_cast<std::uint32_t>(value) & 0x7fffffu) | 0x800000u;
  }
  if (significands != 0) range.significant_bits = 24 - std::countr_zero(significands);
  return range;
}

bool none(const Range& range) { return range.significant_bits == 0; }

}  // namespace

bool kernels_fit(const MatrixUnit& unit, std::span<const float> a, std::span<const float> b,
                 std::span<const float> bias) {
  const bool rounds = unit.final_rounding == Rounding::toward_zero || unit.final_rounding == Rounding::nearest_even;
  // With s significant bits in all, a product of significands is at most (2 - 2^-11)^2 < 4 - 2^-10 for s <= 24.
  const bool unit_fits =
      rounds && unit.products >= 1 && unit.fraction_bits >= 1 && unit.fraction_bits <= kMostFractionBits &&
      std::int64_t{unit.products} << unit.fraction_bits <= std::int64_t{1} << 29 && unit.min_exponent <= 64;
  if (!unit_fits) return false;
  const Range x = range_of(a), w = range_of(b), c = range_of(bias);
  // A bias is aligned like a sum: F fraction bits below an exponent of at least -50.
  if (!none(c) && (c.least < kLeastProductExponent || c.most > 2 * kMostOperandExponent)) return false;
  if (none(x) || none(w)) return true;
  return x.significant_bits + w.significant_bits <= 24 && x.least + w.least >= kLeastProductExponent &&
         x.least > -100 && w.least > -100 && x.most <= kMostOperandExponent && w.most <= kMostOperandExponent;
}

void exponents_of(const float* x, std::int64_t size, std::int8_t* exponents) {
  for (std::int64_t i = 0; i < size; ++i) {
    exponents[i] = x[i] == 0 ? kZeroExponent : static_cast<std::int8_t>(biased_exponent(x[i]));
  }
}

}  // namespace fusecheck::engine
