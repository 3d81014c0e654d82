// Philox4x32-10: the counter-based generator behind all drawn data (Salmon, Moraes, Dror, Shaw, SC'11). N9.
#pragma once

#include <array>
#include <cstddef>
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
  friend class PhiloxReader;
  std::uint32_t normal_sum(std::uint64_t index) const;
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 2> stream_;
};

// The same numbers, faster for a reader whose indices ascend one by one (in one or two sequences at a time): it draws some
// ahead. For one thread.
class PhiloxReader {
 public:
  explicit PhiloxReader(const Philox& philox) : philox_(philox) {}
  std::uint32_t word(std::uint64_t index) const;
  std::int64_t integer(std::uint64_t index, std::int64_t low, std::int64_t high) const;
  double normal(std::uint64_t index) const;
  double uniform(std::uint64_t index) const;

 private:
  static constexpr std::size_t ahead = 64;
  struct Run {
    std::uint64_t first = 0, last = 0;  // indices that `at` holds: [first, last)
    std::uint64_t next = 0;             // the index that continues the sequence
    std::array<std::uint32_t, ahead> at = {};
  };
  struct Runs {
    std::array<Run, 2> run = {};
    std::size_t newest = 0;
  };
  std::uint32_t drawn(Runs& runs, std::uint64_t index, bool normal) const;
  Philox philox_;
  mutable Runs words_, normals_;
};

}  // namespace fusecheck
