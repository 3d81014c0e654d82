// Accumulation in f16: each step is one f16 FMA, correctly rounded. Included like fma_kernel.hpp.
//
// The product of two f16 values is exact in f32. Its sum with the accumulator is rounded to f32 and then to f16; the
// second rounding is correct when the first one is to odd (Boldo and Melquiond, IEEE TC 57, 2008). Where V has no FMA
// that rounds to odd, the FMA rounds to nearest, and only sums that look like a tie in f16 need to be made odd.
#pragma once

#include <cstdint>

#include "engine/fma_kernel.hpp"
#include "engine/kernels.hpp"

namespace fusecheck::engine {
namespace {

// The f32 sum s = x·w + c, made odd where it is inexact. TwoSum (Knuth) gives the exact error.
template <class V>
[[gnu::always_inline]] inline typename V::Register odd_sum(typename V::Register x, typename V::Register w,
                                                           typename V::Register c, typename V::Register s) {
  const typename V::Register p = V::mul(x, w);
  const typename V::Register c_part = V::sub(s, p);
  const typename V::Register error = V::add(V::sub(p, V::sub(s, c_part)), V::sub(c, c_part));
  return V::make_odd(s, error);
}

template <class V>
concept RoundsToOdd = requires(typename V::Register x) {
  V::fma_to_odd(x, x, x);
};

// sum = x·w + acc for one term, in f32, such that rounding it to f16 rounds correctly.
template <class V, int rows, int vectors>
[[gnu::always_inline]] inline void sum_for_half(const float* const (&a)[rows], std::int64_t term,
                                                const typename V::Register (&w)[vectors],
                                                const Accumulators<V, rows, vectors>& acc,
                                                Accumulators<V, rows, vectors>& sum) {
  if constexpr (RoundsToOdd<V>) {
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      const typename V::Register x = V::broadcast(a[r] + term);
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) sum.s[r][v] = V::fma_to_odd(x, w[v], acc.s[r][v]);
    }
  } else {
    typename V::Suspects suspects = V::no_suspects();
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      const typename V::Register x = V::broadcast(a[r] + term);
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) {
        sum.s[r][v] = V::fma(x, w[v], acc.s[r][v]);
        suspects = V::add_ties(suspects, sum.s[r][v]);
      }
    }
    if (V::any(suspects)) [[unlikely]] {
#pragma GCC unroll 16
      for (int r = 0; r < rows; ++r) {
        const typename V::Register x = V::broadcast(a[r] + term);
#pragma GCC unroll 16
        for (int v = 0; v < vectors; ++v) sum.s[r][v] = odd_sum<V>(x, w[v], acc.s[r][v], sum.s[r][v]);
      }
    }
  }
}

template <class V, int rows, int vectors>
void half_tile(const Tile<float>& tile) {
  Accumulators<V, rows, vectors> acc;
  load_start<V, rows, vectors>(tile, acc);
  const float* a[rows];
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) a[r] = tile.a + tile.row[r];
  const float* b = tile.b;
  for (std::int64_t k = 0; k < tile.terms; ++k) {
    typename V::Register w[vectors];
    Accumulators<V, rows, vectors> sum;
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) w[v] = V::load(b + v * V::lanes);
    sum_for_half<V, rows, vectors>(a, tile.term[k], w, acc, sum);
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) acc.s[r][v] = V::round_to_half(sum.s[r][v]);
    }
    b += vectors * V::lanes;
  }
  store_result<V, rows, vectors>(tile, acc);
}

template <class V, int rows, int vectors>
constexpr Kernel<float> half_kernel() {
  return {&half_tile<V, rows, vectors>, rows, vectors * V::lanes};
}

}  // namespace
}  // namespace fusecheck::engine
