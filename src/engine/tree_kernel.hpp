// Sums by trees of rounded products: block16 and pairwise (NUMERICS.md N5). Included like fma_kernel.hpp.
#pragma once

#include <cstdint>

#include "engine/fma_kernel.hpp"
#include "engine/kernels.hpp"

namespace fusecheck::engine {
namespace {

inline constexpr int kBlock = 16;

// Adds leaf number `leaf` of a balanced tree of 16 to the partial sums of its levels: a binary counter whose carries
// are additions. Leaf 15 leaves the sum of the tree in `p`.
template <int leaf, class V, int rows, int vectors>
[[gnu::always_inline]] inline void add_leaf(typename V::Register (&p)[rows][vectors],
                                            Accumulators<V, rows, vectors> (&level)[4]) {
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) {
      typename V::Register s = p[r][v];
      if constexpr ((leaf & 1) != 0) s = V::add(level[0].s[r][v], s);
      if constexpr ((leaf & 3) == 3) s = V::add(level[1].s[r][v], s);
      if constexpr ((leaf & 7) == 7) s = V::add(level[2].s[r][v], s);
      if constexpr ((leaf & 15) == 15) s = V::add(level[3].s[r][v], s);
      if constexpr ((leaf & 1) == 0) {
        level[0].s[r][v] = s;
      } else if constexpr ((leaf & 3) == 1) {
        level[1].s[r][v] = s;
      } else if constexpr ((leaf & 7) == 3) {
        level[2].s[r][v] = s;
      } else if constexpr ((leaf & 15) == 7) {
        level[3].s[r][v] = s;
      } else {
        p[r][v] = s;
      }
    }
  }
}

template <class V, int rows, int vectors>
struct TreeOperands {
  const typename V::Lane* a[rows];
  const typename V::Lane* b;
  const std::int64_t* term;
};

// One leaf: the rounded products of one term, or `missing` where the block has no such term.
template <int leaf, bool whole, class V, int rows, int vectors>
[[gnu::always_inline]] inline void multiply_leaf(const TreeOperands<V, rows, vectors>& from, std::int64_t present,
                                                 typename V::Register missing, typename V::Register (&p)[rows][vectors],
                                                 Accumulators<V, rows, vectors> (&level)[4]) {
  if (whole || leaf < present) {
    const std::int64_t term = from.term[leaf];
    typename V::Register w[vectors];
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) w[v] = V::load(from.b + (leaf * vectors + v) * V::lanes);
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      const typename V::Register x = V::broadcast(from.a[r] + term);
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) p[r][v] = V::mul(x, w[v]);
    }
  } else {
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) p[r][v] = missing;
    }
  }
  add_leaf<leaf, V, rows, vectors>(p, level);
}

// The tree over the next 16 products; the result is in p.
template <bool whole, class V, int rows, int vectors>
[[gnu::always_inline]] inline void tree_of_16(const TreeOperands<V, rows, vectors>& from, std::int64_t present,
                                              typename V::Register missing, typename V::Register (&p)[rows][vectors]) {
  Accumulators<V, rows, vectors> level[4];
  multiply_leaf<0, whole>(from, present, missing, p, level);
  multiply_leaf<1, whole>(from, present, missing, p, level);
  multiply_leaf<2, whole>(from, present, missing, p, level);
  multiply_leaf<3, whole>(from, present, missing, p, level);
  multiply_leaf<4, whole>(from, present, missing, p, level);
  multiply_leaf<5, whole>(from, present, missing, p, level);
  multiply_leaf<6, whole>(from, present, missing, p, level);
  multiply_leaf<7, whole>(from, present, missing, p, level);
  multiply_leaf<8, whole>(from, present, missing, p, level);
  multiply_leaf<9, whole>(from, present, missing, p, level);
  multiply_leaf<10, whole>(from, present, missing, p, level);
  multiply_leaf<11, whole>(from, present, missing, p, level);
  multiply_leaf<12, whole>(from, present, missing, p, level);
  multiply_leaf<13, whole>(from, present, missing, p, level);
  multiply_leaf<14, whole>(from, present, missing, p, level);
  multiply_leaf<15, whole>(from, present, missing, p, level);
}

template <class V, int rows, int vectors>
[[gnu::always_inline]] inline TreeOperands<V, rows, vectors> tree_operands(const Tile<typename V::Lane>& tile) {
  TreeOperands<V, rows, vectors> from;
  for (int r = 0; r < rows; ++r) from.a[r] = tile.a + tile.row[r];
  from.b = tile.b;
  from.term = tile.term;
  return from;
}

template <class V, int rows, int vectors>
[[gnu::always_inline]] inline void advance(TreeOperands<V, rows, vectors>& from) {
  from.b += kBlock * vectors * V::lanes;
  from.term += kBlock;
}

// s = s + tree for each 16 products, ascending; missing products are +0.
template <class V, int rows, int vectors>
void block16_tile(const Tile<typename V::Lane>& tile) {
  Accumulators<V, rows, vectors> acc;
  load_start<V, rows, vectors>(tile, acc);
  TreeOperands<V, rows, vectors> from = tree_operands<V, rows, vectors>(tile);
  const typename V::Register missing = V::zero();
  typename V::Register p[rows][vectors];
  std::int64_t left = tile.terms;
  for (; left >= kBlock; left -= kBlock) {
    tree_of_16<true>(from, left, missing, p);
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) acc.s[r][v] = V::add(acc.s[r][v], p[r][v]);
    }
    advance<V, rows, vectors>(from);
  }
  if (left > 0) {
    tree_of_16<false>(from, left, missing, p);
    for (int r = 0; r < rows; ++r) {
      for (int v = 0; v < vectors; ++v) acc.s[r][v] = V::add(acc.s[r][v], p[r][v]);
    }
  }
  store_result<V, rows, vectors>(tile, acc);
}

// The recursive halving of all terms, split at the largest power of two below their number, as a binary counter over
// blocks of 16: the two trees agree because the split of n > 16 terms falls on a multiple of 16. Missing products of
// the last block are -0, which changes no sum. The bias comes last.
template <class V, int rows, int vectors>
void pairwise_tile(const Tile<typename V::Lane>& tile) {
  using Lane = typename V::Lane;
  constexpr int levels = 40;  // more than 2^43 terms never meet in one sum
  constexpr int columns = vectors * V::lanes;
  alignas(64) Lane partial[levels][rows][columns];
  TreeOperands<V, rows, vectors> from = tree_operands<V, rows, vectors>(tile);
  const typename V::Register missing = V::minus_zero();
  Accumulators<V, rows, vectors> acc;
  load_start<V, rows, vectors>(tile, acc);  // only so that the compiler sees a value: there is at least one block
  const auto merge = [&](int level) __attribute__((always_inline)) {
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) {
        acc.s[r][v] = V::add(V::load(&partial[level][r][v * V::lanes]), acc.s[r][v]);
      }
    }
  };
  std::int64_t block = 0;  // number of blocks before this one: its set bits are the occupied levels
  for (std::int64_t left = tile.terms; left > 0; left -= kBlock, ++block) {
    if (left >= kBlock) {
      tree_of_16<true>(from, left, missing, acc.s);
    } else {
      tree_of_16<false>(from, left, missing, acc.s);
    }
    advance<V, rows, vectors>(from);
    const bool last = left <= kBlock;
    int level = 0;
    for (; (block >> level & 1) != 0 && !last; ++level) merge(level);
    if (last) {
      // What is left on the counter joins from the smallest tree to the largest.
      for (level = 0; (block >> level) != 0; ++level) {
        if ((block >> level & 1) != 0) merge(level);
      }
      break;
    }
    for (int r = 0; r < rows; ++r) {
      for (int v = 0; v < vectors; ++v) V::store(&partial[level][r][v * V::lanes], acc.s[r][v]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) {
      acc.s[r][v] = V::add(acc.s[r][v], V::load(tile.start + r * tile.start_step + v * V::lanes));
    }
  }
  store_result<V, rows, vectors>(tile, acc);
}

template <class V, int rows, int vectors>
constexpr Kernel<typename V::Lane> block16_kernel() {
  return {&block16_tile<V, rows, vectors>, rows, vectors * V::lanes};
}
template <class V, int rows, int vectors>
constexpr Kernel<typename V::Lane> pairwise_kernel() {
  return {&pairwise_tile<V, rows, vectors>, rows, vectors * V::lanes};
}

}  // namespace
}  // namespace fusecheck::engine
