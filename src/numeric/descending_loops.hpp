// Rows of terms sorted side by side, a lane each: included by the file of each instruction set, so no function of the
// standard library may be used here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "numeric/descending_dispatch.hpp"

namespace fusecheck::numeric {
namespace {

constexpr std::size_t kRows = descending_rows;

// Ascending in this is descending in |x| as f32 holds it, then ascending in the place. A double of the one binade that
// starts at 2^-1022, so that the order of the bits is that of values, no two are equal, and none is NaN.
constexpr int kPlaceBits = 20;
static_assert(longest_short_row <= std::size_t{1} << kPlaceBits);

inline double key_of(double x, std::uint64_t place) {
  const std::uint64_t magnitude = __builtin_bit_cast(std::uint32_t, static_cast<float>(x)) & 0x7fffffffU;
  return __builtin_bit_cast(double, std::uint64_t{1} << 52 | (0x7fffffffU - magnitude) << kPlaceBits | place);
}

inline std::uint64_t place_of(double key) {
  return __builtin_bit_cast(std::uint64_t, key) & ((std::uint64_t{1} << kPlaceBits) - 1);
}

inline void exchange(DescendingKeys& __restrict a, DescendingKeys& __restrict b) {
  for (std::size_t r = 0; r < kRows; ++r) {
    const double low = a.of[r] < b.of[r] ? a.of[r] : b.of[r], high = a.of[r] < b.of[r] ? b.of[r] : a.of[r];
    a.of[r] = low;
    b.of[r] = high;
  }
}

// Batcher's merge exchange (Knuth, TAOCP 3, 5.2.2, algorithm M): which elements are compared does not depend on them.
// The elements i with i & p = r are runs of p.
inline void sort(DescendingKeys* keys, std::size_t length) {
  std::size_t top = 1;
  while (2 * top < length) top *= 2;
  for (std::size_t p = top; p > 0; p /= 2) {
    std::size_t q = top, r = 0, d = p;
    while (true) {
      for (std::size_t run = r; run + d < length; run += 2 * p) {
        const std::size_t end = run + p < length - d ? run + p : length - d;
        for (std::size_t i = run; i < end; ++i) exchange(keys[i], keys[i + d]);
      }
      if (q == p) break;
      d = q - p;
      q /= 2;
      r = p;
    }
  }
}

inline void add_rows(const double* rows, std::size_t length, DescendingKeys* keys, float* totals) {
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t k = 0; k < length; ++k) keys[k].of[r] = key_of(rows[r * length + k], k);
  }
  if (length > 1) sort(keys, length);
  float sums[kRows];
  for (std::size_t r = 0; r < kRows; ++r) sums[r] = totals[r];
  for (std::size_t k = 0; k < length; ++k) {
    for (std::size_t r = 0; r < kRows; ++r) {
      const double term = rows[r * length + place_of(keys[k].of[r])];
      sums[r] = static_cast<float>(static_cast<double>(sums[r]) + term);
    }
  }
  for (std::size_t r = 0; r < kRows; ++r) totals[r] = sums[r];
}

constexpr DescendingLoops descending_loops_here() { return {add_rows}; }

}  // namespace
}  // namespace fusecheck::numeric
