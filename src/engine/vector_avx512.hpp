// Vectors of sixteen f32 or eight f64 lanes, for the one file that is compiled for AVX-512 F, BW, DQ and VL.
#pragma once

#include <immintrin.h>

#include <cstdint>

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
  using Suspects = __mmask16;
  static Suspects no_suspects() { return 0; }
  // See OneHalf in kernels_scalar.cpp for the two patterns.
  static Suspects add_ties(Suspects found, Register s) {
    const __m512i bits = _mm512_castps_si512(s);
    const __mmask16 tie = _mm512_cmpeq_epi32_mask(_mm512_and_si512(bits, _mm512_set1_epi32(0x1fff)),
                                                  _mm512_set1_epi32(0x1000));
    const __m512i magnitude = _mm512_and_si512(bits, _mm512_set1_epi32(0x7fffffff));
    const __mmask16 small = _mm512_cmplt_epi32_mask(magnitude, _mm512_set1_epi32(0x38800000));
    return static_cast<Suspects>(found | tie | small);
  }
  static bool any(Suspects found) { return found != 0; }
  static Register make_odd(Register s, Register error) {
    const __m512i bits = _mm512_castps_si512(s);
    const __mmask16 inexact = _mm512_cmp_ps_mask(error, _mm512_setzero_ps(), _CMP_NEQ_OQ);
    const __mmask16 even = _mm512_testn_epi32_mask(bits, _mm512_set1_epi32(1));
    const __m512i apart = _mm512_maskz_srai_epi32(kAll, _mm512_xor_si512(bits, _mm512_castps_si512(error)), 31);
    const __m512i step = _mm512_or_si512(apart, _mm512_set1_epi32(1));  // -1 where the signs differ, else +1
    return _mm512_castsi512_ps(
        _mm512_mask_add_epi32(bits, static_cast<__mmask16>(inexact & even), bits, step));
  }
  static Register round_to_half(Register x) {
    return _mm512_maskz_cvtph_ps(kAll, _mm512_maskz_cvtps_ph(kAll, x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  }
};

}  // namespace
}  // namespace fusecheck::engine
