// Philox on runs of consecutive indices, as compiled for each instruction set; all give the same numbers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fusecheck::numeric {

struct PhiloxKey {
  std::uint32_t seed[2], stream[2];
};

inline constexpr std::size_t philox_lanes = 64;

// `n` is a multiple of philox_lanes.
struct PhiloxLoops {
  // Word 0 of blocks first, first + 1 ...
  void (*words)(const PhiloxKey& key, std::uint64_t first, std::size_t n, std::uint32_t* out);
  // What Philox::normal centres and scales: the sum of twelve 16-bit fields of blocks 2·i and 2·i + 1.
  void (*normal_sums)(const PhiloxKey& key, std::uint64_t first, std::size_t n, std::uint32_t* out);
};
const PhiloxLoops& philox_loops_avx2();
const PhiloxLoops& philox_loops_avx512();

}  // namespace fusecheck::numeric
