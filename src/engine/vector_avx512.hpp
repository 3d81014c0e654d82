// Vectors of sixteen f32 or eight f64 lanes, for the one file that is compiled for AVX-512 F, BW, DQ and VL.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "engine/kernels.hpp"

namespace fusecheck::engine {
namespace {

// g++ 12 warns of uninitialised values in its own unmasked forms of some intrinsics (GCC bug 105593); the forms that
// zero the lanes outside a full mask compile to the same instructions.
constexpr __mmask16 kAll = 0xffff;

struct F32 {
  using Lane = float;
  using Register = __m512;
  static constexpr int lanes = 16;
  static Register load(const float* p) { return _mm512_loadu_ps(p); }
  static void store(float* p, Register x) { _mm512_storeu_ps(p, x); }
  static Register broadcast(const float* p) { return _mm512_set1_ps(*p); }
  static Register zero() { return _mm512_setzero_ps(); }
  static Register minus_zero() { return _mm512_set1_ps(-0.0f); }
  static Register add(Register x, Register y) { return _mm512_add_ps(x, y); }
  static Register sub(Register x, Register y) { return _mm512_sub_ps(x, y); }
  static Register mul(Register x, Register y) { return _mm512_mul_ps(x, y); }
  static Register fma(Register x, Register y, Register z) { return _mm512_fmadd_ps(x, y, z); }
};

struct F64 {
  using Lane = double;
  using Register = __m512d;
  static constexpr int lanes = 8;
  static Register load(const double* p) { return _mm512_loadu_pd(p); }
  static void store(double* p, Register x) { _mm512_storeu_pd(p, x); }
  static Register broadcast(const double* p) { return _mm512_set1_pd(*p); }
  static Register add(Register x, Register y) { return _mm512_add_pd(x, y); }
  static Register fma(Register x, Register y, Register z) { return _mm512_fmadd_pd(x, y, z); }
};

struct Half : F32 {
  // Down and up differ by one unit in the last place where the sum is inexact, and then one of them is odd. An exact 0
  // is -0 when rounded down; up gives the +0 of rounding to nearest.
  static Register fma_to_odd(Register x, Register y, Register z) {
    const __m512 down = _mm512_fmadd_round_ps(x, y, z, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    const __m512 up = _mm512_fmadd_round_ps(x, y, z, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
    const __mmask16 odd = _mm512_test_epi32_mask(_mm512_castps_si512(down), _mm512_set1_epi32(1));
    return _mm512_mask_mov_ps(up, odd, down);
  }
  static Register round_to_half(Register x) {
    return _mm512_maskz_cvtph_ps(kAll, _mm512_maskz_cvtps_ph(kAll, x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  }
};

struct Unit : F32 {
  using Integers = __m512i;
  static Integers set_integers(std::int32_t x) { return _mm512_set1_epi32(x); }
  static Integers zero_integers() { return _mm512_setzero_si512(); }
  static Integers add_integers(Integers x, Integers y) { return _mm512_add_epi32(x, y); }
  static Integers sub_integers(Integers x, Integers y) { return _mm512_sub_epi32(x, y); }
  static Integers max_integers(Integers x, Integers y) { return _mm512_maskz_max_epi32(kAll, x, y); }
  static void store_integers(std::int32_t* p, Integers x) { _mm512_storeu_si512(p, x); }
  static Integers widen(const std::int8_t* p) {
    return _mm512_maskz_cvtepi8_epi32(kAll, _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static Integers exponents_of(Register x) {
    const __m512i field =
        _mm512_and_si512(_mm512_maskz_srli_epi32(kAll, _mm512_castps_si512(x), 23), _mm512_set1_epi32(0xff));
    return _mm512_sub_epi32(field, _mm512_set1_epi32(127));
  }
  static Register power_of_two(Integers e) {
    return _mm512_castsi512_ps(_mm512_maskz_slli_epi32(kAll, _mm512_add_epi32(e, _mm512_set1_epi32(127)), 23));
  }
  static Register reciprocal_power(Register x) {
    return _mm512_castsi512_ps(_mm512_sub_epi32(_mm512_set1_epi32(254 << 23), _mm512_castps_si512(x)));
  }
  static Integers truncated(Register x) { return _mm512_maskz_cvttps_epi32(kAll, x); }
  static bool any_magnitude_from(Integers x, std::int32_t limit) {
    return _mm512_cmpge_epi32_mask(_mm512_maskz_abs_epi32(kAll, x), _mm512_set1_epi32(limit)) != 0;
  }
  static Register rounded_to_nearest(Integers x) { return _mm512_maskz_cvtepi32_ps(kAll, x); }
  static Register rounded_toward_zero(Integers x) {
    return _mm512_maskz_cvt_roundepi32_ps(kAll, x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  }

  // Exponents of `columns` products: 16 or 64 of them.
  template <int columns>
  struct Exponents;
};

template <>
struct Unit::Exponents<16> {
  __m128i e;
  static Exponents lowest() { return {_mm_set1_epi8(kZeroExponent)}; }
  static Exponents load(const std::int8_t* p) { return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))}; }
  static void store(std::int8_t* p, Exponents x) { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), x.e); }
  static Exponents max_of_sum(Exponents most, std::int8_t a, Exponents b) {
    return {_mm_max_epi8(most.e, _mm_adds_epi8(_mm_set1_epi8(a), b.e))};
  }
};

template <>
struct Unit::Exponents<64> {
  __m512i e;
  static Exponents lowest() { return {_mm512_set1_epi8(kZeroExponent)}; }
  static Exponents load(const std::int8_t* p) { return {_mm512_loadu_si512(p)}; }
  static void store(std::int8_t* p, Exponents x) { _mm512_storeu_si512(p, x.e); }
  static Exponents max_of_sum(Exponents most, std::int8_t a, Exponents b) {
    return {_mm512_max_epi8(most.e, _mm512_adds_epi8(_mm512_set1_epi8(a), b.e))};
  }
};

}  // namespace
}  // namespace fusecheck::engine
