// Philox4x32-10: the counter-based generator behind all drawn data (Salmon, Moraes, Dror, Shaw, SC'11). N9.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace fusecheck {

using PhiloxBlock = std::array<std::uint32_t, 4>;

// Ten rounds over `counter` under `key`.
PhiloxBlock philox4x32(PhiloxBlock counter, std::array<std::uint32_t, 2> key);

// A stream of 32-bit words that depends on (seed, stream name, index) only: any element can be drawn alone, in any order.
class Philox {
 public:
  Philox(std::uint64_t seed, std::string_view stream);
  PhiloxBlock block(std::uint64_t index) const;
  std::uint32_t word(std::uint64_t index) const;  // word 0 of block(index)
  // Integer in [low, high], by multiply and shift.
  std::int64_t integer(std::uint64_t index, std::int64_t low, std::int64_t high) const;
  // Sum of twelve 16-bit fields, centred, divided by 2^16: mean 0, variance 1 to within 2^-30, support (-6, 6),
  // exact in f32. No libm.
  double normal(std::uint64_t index) const;
  // Multiple of 2^-24 in [0, 1).
  double uniform(std::uint64_t index) const;

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 2> stream_;
};

}  // namespace fusecheck
