// Steps of a matrix unit in 32-bit integers (NUMERICS.md N7). Included like fma_kernel.hpp.
//
// Operands are in the range that matrix_unit_range.hpp admits, so that a·b is exact in f32, so is every power of two
// below, and the aligned products of one step sum without overflow. Exponents of products are sums of int8 values,
// formed for all columns of the tile at once.
#pragma once

#include <cstdint>

#include "engine/fma_kernel.hpp"
#include "engine/kernels.hpp"
#include "engine/matrix_unit_range.hpp"

namespace fusecheck::engine {
namespace {

// The f32 value of an integer below 2^53, rounded as the unit does.
[[gnu::always_inline]] inline float rounded_integer(std::int64_t x, bool truncate) {
  if (!truncate) return static_cast<float>(x);
  const std::uint64_t magnitude = static_cast<std::uint64_t>(x < 0 ? -x : x);
  if (magnitude >> 24 == 0) return static_cast<float>(x);
  const int cut = 40 - __builtin_clzll(magnitude);  // bits beyond the 24 of an f32 significand
  const float kept = static_cast<float>(static_cast<std::int64_t>(magnitude >> cut << cut));
  return x < 0 ? -kept : kept;
}

// products + aligned c may pass 2^31 here: the sum in 64 bits.
template <class V>
[[gnu::noinline]] typename V::Register wide_sum(typename V::Integers products, typename V::Integers c, bool truncate) {
  alignas(64) std::int32_t p[V::lanes], s[V::lanes];
  alignas(64) float sum[V::lanes];
  V::store_integers(p, products);
  V::store_integers(s, c);
  for (int i = 0; i < V::lanes; ++i) {
    sum[i] = rounded_integer(std::int64_t{p[i]} + std::int64_t{s[i]}, truncate);
  }
  return V::load(sum);
}

template <class V>
[[gnu::always_inline]] inline typename V::Register end_step(typename V::Integers products, typename V::Register c,
                                                            typename V::Register scale, bool truncate) {
  // |aligned c| < 2^(F+1) <= 2^26: beside products below 2^31 - 2^26 the sum fits.
  const typename V::Integers aligned = V::truncated(V::mul(c, scale));
  typename V::Register sum;
  if (V::any_magnitude_from(products, 0x7fffffff - (1 << 26))) [[unlikely]] {
    sum = wide_sum<V>(products, aligned, truncate);
  } else {
    const typename V::Integers exact = V::add_integers(products, aligned);
    sum = truncate ? V::rounded_toward_zero(exact) : V::rounded_to_nearest(exact);
  }
  return V::mul(sum, V::reciprocal_power(scale));
}

template <class V, int rows, int vectors>
void matrix_unit_tile(const Tile<float>& tile) {
  constexpr int columns = vectors * V::lanes;
  using Exponents = typename V::template Exponents<columns>;
  alignas(64) float c[rows][columns];
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vectors; ++v) {
      V::store(&c[r][v * V::lanes], V::load(tile.start + r * tile.start_step + v * V::lanes));
    }
  }
  const float* a[rows];
  const std::int8_t* a_exponent[rows];
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
    a[r] = tile.a + tile.row[r];
    a_exponent[r] = tile.unit.a_exponent + tile.row[r];
  }
  const std::int32_t floor = tile.unit.min_exponent > kLeastExponent ? tile.unit.min_exponent : kLeastExponent;
  const typename V::Integers lowest = V::set_integers(floor);
  const typename V::Integers fraction_bits = V::set_integers(tile.unit.fraction_bits);
  const float* b = tile.b;
  const std::int8_t* b_exponent = tile.unit.b_exponent;
  const std::int64_t* term = tile.term;
  for (std::int64_t left = tile.terms; left > 0; left -= tile.unit.products) {
    const std::int64_t count = left < tile.unit.products ? left : tile.unit.products;
    Exponents largest[rows];
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) largest[r] = Exponents::lowest();
    for (std::int64_t k = 0; k < count; ++k) {
      const Exponents w = Exponents::load(b_exponent + k * columns);
#pragma GCC unroll 16
      for (int r = 0; r < rows; ++r) largest[r] = Exponents::max_of_sum(largest[r], a_exponent[r][term[k]], w);
    }
    typename V::Register scale[rows][vectors];
    typename V::Integers sum[rows][vectors];
    alignas(64) std::int8_t widened[rows][columns];
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      Exponents::store(widened[r], largest[r]);
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) {
        const typename V::Integers of_c = V::exponents_of(V::load(&c[r][v * V::lanes]));
        const typename V::Integers of_products = V::widen(&widened[r][v * V::lanes]);
        const typename V::Integers most = V::max_integers(V::max_integers(of_c, of_products), lowest);
        scale[r][v] = V::power_of_two(V::sub_integers(fraction_bits, most));
        sum[r][v] = V::zero_integers();
      }
    }
    for (std::int64_t k = 0; k < count; ++k) {
      typename V::Register w[vectors];
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) w[v] = V::load(b + k * columns + v * V::lanes);
#pragma GCC unroll 16
      for (int r = 0; r < rows; ++r) {
        const typename V::Register x = V::broadcast(a[r] + term[k]);
#pragma GCC unroll 16
        for (int v = 0; v < vectors; ++v) {
          sum[r][v] = V::add_integers(sum[r][v], V::truncated(V::mul(V::mul(x, w[v]), scale[r][v])));
        }
      }
    }
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) {
        float* const at = &c[r][v * V::lanes];
        V::store(at, end_step<V>(sum[r][v], V::load(at), scale[r][v], tile.unit.truncate));
      }
    }
    b += count * columns;
    b_exponent += count * columns;
    term += count;
  }
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vectors; ++v) {
      V::store(tile.c + r * columns + v * V::lanes, V::load(&c[r][v * V::lanes]));
    }
  }
}

template <class V, int rows, int vectors>
constexpr Kernel<float> matrix_unit_kernel() {
  return {&matrix_unit_tile<V, rows, vectors>, rows, vectors * V::lanes};
}

}  // namespace
}  // namespace fusecheck::engine
