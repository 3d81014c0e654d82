// Sequential chains of fused multiply-adds. Included by the file of each instruction set with its vector types V, which
// have internal linkage, so nothing here is shared between them.
#pragma once

#include <cstdint>

#include "engine/kernels.hpp"

namespace fusecheck::engine {
namespace {

// Whether the rows of a tile follow each other without gaps: one address register then serves them all.
template <int rows>
[[gnu::always_inline]] inline bool adjacent(const std::int64_t* row) {
  for (int r = 1; r < rows; ++r) {
    if (row[r] != row[0] + r) return false;
  }
  return true;
}

template <class V, int rows, int vectors>
struct Accumulators {
  typename V::Register s[rows][vectors];
};

template <class V, int rows, int vectors>
[[gnu::always_inline]] inline void load_start(const Tile<typename V::Lane>& tile, Accumulators<V, rows, vectors>& acc) {
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) acc.s[r][v] = V::load(tile.start + r * tile.start_step + v * V::lanes);
  }
}

template <class V, int rows, int vectors>
[[gnu::always_inline]] inline void store_result(const Tile<typename V::Lane>& tile,
                                                const Accumulators<V, rows, vectors>& acc) {
  constexpr int columns = vectors * V::lanes;
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) {
      typename V::Register s = acc.s[r][v];
      if (tile.add_to != nullptr) s = V::add(V::load(tile.add_to + r * tile.add_step + v * V::lanes), s);
      V::store(tile.c + r * columns + v * V::lanes, s);
    }
  }
}

template <class V, int rows, int vectors, bool one_address>
void fma_rows(const Tile<typename V::Lane>& tile) {
  using Lane = typename V::Lane;
  Accumulators<V, rows, vectors> acc;
  load_start<V, rows, vectors>(tile, acc);
  const Lane* a[rows];
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) a[r] = tile.a + tile.row[r];
  const Lane* b = tile.b;
  for (std::int64_t k = 0; k < tile.terms; ++k) {
    const std::int64_t term = tile.term[k];
    typename V::Register w[vectors];
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) w[v] = V::load(b + v * V::lanes);
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      const typename V::Register x = V::broadcast(one_address ? a[0] + term + r : a[r] + term);
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) acc.s[r][v] = V::fma(x, w[v], acc.s[r][v]);
    }
    b += vectors * V::lanes;
  }
  store_result<V, rows, vectors>(tile, acc);
}

template <class V, int rows, int vectors>
void fma_tile(const Tile<typename V::Lane>& tile) {
  if (adjacent<rows>(tile.row)) {
    fma_rows<V, rows, vectors, true>(tile);
  } else {
    fma_rows<V, rows, vectors, false>(tile);
  }
}

template <class V, int rows, int vectors>
constexpr Kernel<typename V::Lane> fma_kernel() {
  return {&fma_tile<V, rows, vectors>, rows, vectors * V::lanes};
}

}  // namespace
}  // namespace fusecheck::engine
