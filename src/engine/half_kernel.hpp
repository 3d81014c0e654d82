// Accumulation in f16: each step is one f16 FMA, correctly rounded. Included like fma_kernel.hpp.
//
// The sum of product and accumulator is rounded to f32 and then to f16; the second rounding is correct when the first
// one is to odd (Boldo and Melquiond, IEEE TC 57, 2008). Where V has no FMA that rounds to odd, the FMA rounds to
// nearest, and only sums that look like a tie in f16 need to be made odd.
#pragma once

#include <cstdint>

#include "engine/fma_kernel.hpp"
#include "engine/kernels.hpp"

namespace fusecheck::engine {
namespace {

// x + y = sum + error, exactly (TwoSum, Knuth).
template <class V>
struct ExactSum {
  typename V::Register sum, error;
};
template <class V>
[[gnu::always_inline]] inline ExactSum<V> exact_sum(typename V::Register x, typename V::Register y) {
  const typename V::Register sum = V::add(x, y);
  const typename V::Register y_part = V::sub(sum, x);
  return {sum, V::add(V::sub(x, V::sub(sum, y_part)), V::sub(y, y_part))};
}

// s = x·w + c as V::fma rounded it, made odd where it is inexact. The error of an FMA is the sum of two f32 values
// (Boldo and Muller, ErrFma, ARITH-17, 2005), so their rounded sum has its sign, and is 0 only when it is. Products of
// f32 operands take more than the 24 bits of f32. Where a product's lower half underflows, c, a multiple of 2^-24, is
// not near a tie and nothing has to be odd.
template <class V>
[[gnu::always_inline]] inline typename V::Register odd_sum(typename V::Register x, typename V::Register w,
                                                           typename V::Register c, typename V::Register s) {
  const typename V::Register upper = V::mul(x, w);
  const typename V::Register lower = V::fma(x, w, V::sub(V::zero(), upper));
  const ExactSum<V> small = exact_sum<V>(c, lower);
  const ExactSum<V> large = exact_sum<V>(upper, small.sum);
  return V::make_odd(s, V::add(V::add(V::sub(large.sum, s), large.error), small.error));
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
