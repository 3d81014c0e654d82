// Vectors of eight f32 or four f64 lanes, for the one file that is compiled for AVX2, FMA and F16C.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "engine/kernels.hpp"

namespace fusecheck::engine {
namespace {

struct F32 {
  using Lane = float;
  using Register = __m256;
  static constexpr int lanes = 8;
  static Register load(const float* p) { return _mm256_loadu_ps(p); }
  static void store(float* p, Register x) { _mm256_storeu_ps(p, x); }
  static Register broadcast(const float* p) { return _mm256_broadcast_ss(p); }
  static Register zero() { return _mm256_setzero_ps(); }
  static Register minus_zero() { return _mm256_set1_ps(-0.0f); }
  static Register add(Register x, Register y) { return _mm256_add_ps(x, y); }
  static Register sub(Register x, Register y) { return _mm256_sub_ps(x, y); }
  static Register mul(Register x, Register y) { return _mm256_mul_ps(x, y); }
  static Register fma(Register x, Register y, Register z) { return _mm256_fmadd_ps(x, y, z); }
};

struct F64 {
  using Lane = double;
  using Register = __m256d;
  static constexpr int lanes = 4;
  static Register load(const double* p) { return _mm256_loadu_pd(p); }
  static void store(double* p, Register x) { _mm256_storeu_pd(p, x); }
  static Register broadcast(const double* p) { return _mm256_broadcast_sd(p); }
  static Register add(Register x, Register y) { return _mm256_add_pd(x, y); }
  static Register fma(Register x, Register y, Register z) { return _mm256_fmadd_pd(x, y, z); }
};

struct Half : F32 {
  using Suspects = __m256i;
  static Suspects no_suspects() { return _mm256_setzero_si256(); }
  // See OneHalf in kernels_scalar.cpp for the two patterns.
  static Suspects add_ties(Suspects found, Register s) {
    const __m256i bits = _mm256_castps_si256(s);
    const __m256i tie =
        _mm256_cmpeq_epi32(_mm256_and_si256(bits, _mm256_set1_epi32(0x1fff)), _mm256_set1_epi32(0x1000));
    const __m256i magnitude = _mm256_and_si256(bits, _mm256_set1_epi32(0x7fffffff));
    const __m256i small = _mm256_cmpgt_epi32(_mm256_set1_epi32(0x38800000), magnitude);
    return _mm256_or_si256(found, _mm256_or_si256(tie, small));
  }
  static bool any(Suspects found) { return _mm256_movemask_epi8(found) != 0; }
  static Register make_odd(Register s, Register error) {
    const __m256i bits = _mm256_castps_si256(s);
    const __m256 zero = _mm256_setzero_ps();
    const __m256i inexact = _mm256_castps_si256(_mm256_cmp_ps(error, zero, _CMP_NEQ_OQ));
    const __m256i even = _mm256_cmpeq_epi32(_mm256_and_si256(bits, _mm256_set1_epi32(1)), _mm256_setzero_si256());
    const __m256i apart = _mm256_srai_epi32(_mm256_xor_si256(bits, _mm256_castps_si256(error)), 31);
    const __m256i step = _mm256_or_si256(apart, _mm256_set1_epi32(1));  // -1 where the signs differ, else +1
    return _mm256_castsi256_ps(_mm256_add_epi32(bits, _mm256_and_si256(step, _mm256_and_si256(inexact, even))));
  }
  static Register round_to_half(Register x) {
    return _mm256_cvtph_ps(_mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  }
};

struct Unit : F32 {
  using Integers = __m256i;
  static Integers set_integers(std::int32_t x) { return _mm256_set1_epi32(x); }
  static Integers zero_integers() { return _mm256_setzero_si256(); }
  static Integers add_integers(Integers x, Integers y) { return _mm256_add_epi32(x, y); }
  static Integers sub_integers(Integers x, Integers y) { return _mm256_sub_epi32(x, y); }
  static Integers max_integers(Integers x, Integers y) { return _mm256_max_epi32(x, y); }
  static void store_integers(std::int32_t* p, Integers x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x); }
  static Integers widen(const std::int8_t* p) {
    return _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
  }
  static Integers exponents_of(Register x) {
    const __m256i field = _mm256_and_si256(_mm256_srli_epi32(_mm256_castps_si256(x), 23), _mm256_set1_epi32(0xff));
    return _mm256_sub_epi32(field, _mm256_set1_epi32(127));
  }
  static Register power_of_two(Integers e) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(e, _mm256_set1_epi32(127)), 23));
  }
  static Register reciprocal_power(Register x) {
    return _mm256_castsi256_ps(_mm256_sub_epi32(_mm256_set1_epi32(254 << 23), _mm256_castps_si256(x)));
  }
  static Integers truncated(Register x) { return _mm256_cvttps_epi32(x); }
  static bool any_magnitude_from(Integers x, std::int32_t limit) {
    return _mm256_movemask_epi8(_mm256_cmpgt_epi32(_mm256_abs_epi32(x), _mm256_set1_epi32(limit - 1))) != 0;
  }
  static Register rounded_to_nearest(Integers x) { return _mm256_cvtepi32_ps(x); }
  // |x| < 2^31 - 2^25, so the rounded value converts back; where it lies above |x| its predecessor is the answer.
  static Register rounded_toward_zero(Integers x) {
    const __m256i magnitude = _mm256_abs_epi32(x);
    const __m256 nearest = _mm256_cvtepi32_ps(magnitude);
    const __m256i above = _mm256_cmpgt_epi32(_mm256_cvttps_epi32(nearest), magnitude);
    const __m256i sign = _mm256_and_si256(x, _mm256_set1_epi32(std::int32_t{-0x7fffffff} - 1));
    return _mm256_castsi256_ps(_mm256_or_si256(_mm256_add_epi32(_mm256_castps_si256(nearest), above), sign));
  }

  // Exponents of `columns` products: 16 or 32 of them.
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
struct Unit::Exponents<32> {
  __m256i e;
  static Exponents lowest() { return {_mm256_set1_epi8(kZeroExponent)}; }
  static Exponents load(const std::int8_t* p) { return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))}; }
  static void store(std::int8_t* p, Exponents x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x.e); }
  static Exponents max_of_sum(Exponents most, std::int8_t a, Exponents b) {
    return {_mm256_max_epi8(most.e, _mm256_adds_epi8(_mm256_set1_epi8(a), b.e))};
  }
};

}  // namespace
}  // namespace fusecheck::engine
