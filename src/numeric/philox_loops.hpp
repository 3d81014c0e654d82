// Philox4x32-10 on consecutive counters: included by the file of each instruction set, so no function of the standard
// library may be used here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "numeric/philox_dispatch.hpp"

namespace fusecheck::numeric {
namespace {

// As many as compilers leave as a loop: where they unroll it, g++ 12 multiplies half of the lanes one by one.
constexpr std::size_t kLanes = philox_lanes;

// One word of kLanes counters.
struct Words {
  std::uint32_t at[kLanes];
};

// Ten rounds (constants of philox.cpp, from the paper) over counters `first`, first + step ...
inline void rounds(const PhiloxKey& key, std::uint64_t first, std::uint64_t step, Words& w0, Words& w1, Words& w2,
                   Words& w3) {
  constexpr std::uint32_t multiplier_0 = 0xD2511F53, multiplier_1 = 0xCD9E8D57;
  constexpr std::uint32_t weyl_0 = 0x9E3779B9, weyl_1 = 0xBB67AE85;
  for (std::size_t l = 0; l < kLanes; ++l) {
    const std::uint64_t counter = first + step * l;
    w0.at[l] = static_cast<std::uint32_t>(counter);
    w1.at[l] = static_cast<std::uint32_t>(counter >> 32);
    w2.at[l] = key.stream[0];
    w3.at[l] = key.stream[1];
  }
  std::uint32_t key_0 = key.seed[0], key_1 = key.seed[1];
  for (int round = 0; round < 10; ++round) {
    for (std::size_t l = 0; l < kLanes; ++l) {
      const std::uint64_t product_0 = std::uint64_t{multiplier_0} * w0.at[l];
      const std::uint64_t product_1 = std::uint64_t{multiplier_1} * w2.at[l];
      const std::uint32_t low_1 = w1.at[l], low_3 = w3.at[l];
      w0.at[l] = static_cast<std::uint32_t>(product_1 >> 32) ^ low_1 ^ key_0;
      w1.at[l] = static_cast<std::uint32_t>(product_1);
      w2.at[l] = static_cast<std::uint32_t>(product_0 >> 32) ^ low_3 ^ key_1;
      w3.at[l] = static_cast<std::uint32_t>(product_0);
    }
    key_0 += weyl_0;
    key_1 += weyl_1;
  }
}

inline std::uint32_t fields(std::uint32_t word) { return (word & 0xffffU) + (word >> 16); }

inline void words(const PhiloxKey& key, std::uint64_t first, std::size_t n, std::uint32_t* out) {
  Words w0, w1, w2, w3;
  for (std::size_t i = 0; i < n; i += kLanes) {
    rounds(key, first + i, 1, w0, w1, w2, w3);
    for (std::size_t l = 0; l < kLanes; ++l) out[i + l] = w0.at[l];
  }
}

inline void normal_sums(const PhiloxKey& key, std::uint64_t first, std::size_t n, std::uint32_t* out) {
  Words w0, w1, w2, w3, v0, v1, v2, v3;
  for (std::size_t i = 0; i < n; i += kLanes) {
    rounds(key, 2 * (first + i), 2, w0, w1, w2, w3);
    rounds(key, 2 * (first + i) + 1, 2, v0, v1, v2, v3);
    for (std::size_t l = 0; l < kLanes; ++l) {
      out[i + l] = fields(w0.at[l]) + fields(w1.at[l]) + fields(w2.at[l]) + fields(w3.at[l]) + fields(v0.at[l]) +
                   fields(v1.at[l]);
    }
  }
}

constexpr PhiloxLoops philox_loops_here() { return {words, normal_sums}; }

}  // namespace
}  // namespace fusecheck::numeric
