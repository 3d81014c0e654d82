// Sums of short rows in descending order, as compiled for each instruction set; all give the same bits.
#pragma once

#include <cstddef>

namespace fusecheck::numeric {

inline constexpr std::size_t descending_rows = 8;  // at a time, one in a lane
inline constexpr std::size_t longest_short_row = 1024;

// One term of each row. A cache line, so that no vector crosses one.
struct alignas(64) DescendingKeys {
  double of[descending_rows];
};

struct DescendingLoops {
  // Adds to totals[r] the `length` terms at rows + r·length, by descending |term|, for all of descending_rows rows.
  // `keys` is room for length of them.
  void (*add_rows)(const double* rows, std::size_t length, DescendingKeys* keys, float* totals);
};
const DescendingLoops& descending_loops_avx2();
const DescendingLoops& descending_loops_avx512();

}  // namespace fusecheck::numeric
