// Arrays rounded to nearest even without branches, so that compilers vectorise the loops for any x86-64 and any Arm.
// The file of each instruction set includes this, so no function of the standard library may be used here.
//
// Adding and subtracting C = 2^(e+D-p), where D is the precision of the arithmetic and 2^e <= |x| < 2^(e+1), rounds |x|
// to a multiple of ulp(C) = 2^(e-p+1): the subtraction is exact, and C/ulp(C) is even, so that ties go to the even
// significand. Raising e to emin gives the subnormals. Needs the default rounding mode, as all of fusecheck does.
#pragma once

#include <cstddef>
#include <cstdint>

#include "numeric/round_dispatch.hpp"

namespace fusecheck::numeric {
namespace {

template <typename To, typename From>
constexpr To cast_to(From x) {
  return __builtin_bit_cast(To, x);
}
template <typename T>
constexpr T infinity_of = static_cast<T>(__builtin_inf());

template <std::size_t size>
struct BitsOf;
template <>
struct BitsOf<4> {
  using Type = std::uint32_t;
};
template <>
struct BitsOf<8> {
  using Type = std::uint64_t;
};
template <typename T>
using Bits = typename BitsOf<sizeof(T)>::Type;

template <typename T>
constexpr int precision_of = sizeof(T) == 8 ? 53 : 24;

template <typename T>
constexpr T quiet_nan = cast_to<T>(sizeof(T) == 8 ? static_cast<Bits<T>>(0x7ff8'0000'0000'0000)
                                                  : static_cast<Bits<T>>(0x7fc0'0000));

template <typename T>
constexpr T power(int exponent) {
  return static_cast<T>(cast_to<double>(static_cast<std::uint64_t>(exponent + 1023) << 52));  // -1022 to 1023
}

// Patterns of non-negative numbers are in the order of the numbers. No comparisons and no conditional expressions: g++
// makes branches of those on double, or leaves such loops scalar. All arguments are below 2^(bits-1).
template <typename U>
constexpr int top_bit = static_cast<int>(sizeof(U) * 8 - 1);

template <typename U>
constexpr U larger(U a, U b) {
  const U difference = a - b;
  return b + (difference & ((difference >> top_bit<U>)-U{1}));
}

// The pattern of `result`, or the canonical NaN where the pattern `magnitude` is one of a NaN.
template <typename T>
T canonical(T result, Bits<T> magnitude) {
  using U = Bits<T>;
  const U is_nan = U{0} - ((cast_to<U>(infinity_of<T>) - magnitude) >> top_bit<U>);
  return cast_to<T>((cast_to<U>(result) & ~is_nan) | (cast_to<U>(quiet_nan<T>) & is_nan));
}

// T rounded to the format (precision, emax, emin), which must be narrower and have a smaller emax.
template <typename T, int precision, int emax, int emin>
struct NearestEven {
  static T apply(T x) {
    using U = Bits<T>;
    constexpr U sign_bit = U{1} << top_bit<U>;
    constexpr U exponent_field = cast_to<U>(infinity_of<T>);
    constexpr int fraction_bits = precision_of<T> - 1;
    constexpr U to_shifter = static_cast<U>(precision_of<T> - precision) << fraction_bits;
    // Scaling by 2^headroom and back sends 2^(emax+1) and above to infinity and leaves the rest as it is.
    constexpr int headroom = (sizeof(T) == 8 ? 1023 : 127) - emax;
    constexpr T expand = power<T>(headroom);
    constexpr T shrink = power<T>(-headroom);
    const U bits = cast_to<U>(x);
    const U magnitude = bits & ~sign_bit;
    const T in_range = (cast_to<T>(magnitude) * expand) * shrink;
    const U binade = larger(cast_to<U>(in_range) & exponent_field, cast_to<U>(power<T>(emin)));
    // For infinity and NaN the exponent wraps around to a tiny negative C, which changes neither.
    const T shifter = cast_to<T>(binade + to_shifter);
    const T rounded = (in_range + shifter) - shifter;
    const T bounded = (rounded * expand) * shrink;
    return canonical(cast_to<T>(cast_to<U>(bounded) | (bits & sign_bit)), magnitude);
  }
};

// f64 to f32, which every machine has.
struct ThroughF32 {
  static double apply(double x) {
    const double rounded = static_cast<double>(static_cast<float>(x));
    return canonical(rounded, cast_to<std::uint64_t>(x) & ~(std::uint64_t{1} << 63));
  }
};

// f32 to bf16: the significand is a prefix, so the carry of one integer addition rounds, into the next exponent and
// into infinity where it has to.
struct PrefixOfF32 {
  static float apply(float x) {
    const std::uint32_t bits = cast_to<std::uint32_t>(x);
    const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) & 0xffff'0000U;
    return x != x ? quiet_nan<float> : cast_to<float>(rounded);
  }
};

// The pattern of a value of f16, NaN canonical: bias 127 becomes bias 15. Below 2^-14, |x| + 1/2 has the multiple of
// 2^-24 as its last bits, since ulp(1/2) = 2^-24. Infinity and NaN wrap around to 0x3c00 and 0x3e00, bit 14 apart.
inline std::uint16_t f16_pattern(float value) {
  const std::uint32_t bits = cast_to<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fff'ffffU;
  const std::uint32_t normal = ((magnitude - (112U << 23)) >> 13) & 0x7fffU;
  const std::uint32_t special = ((0x7f7f'ffffU - magnitude) >> 31) << 14;
  const std::uint32_t multiple = cast_to<std::uint32_t>(cast_to<float>(magnitude) + 0.5F) - 0x3f00'0000U;
  const std::uint32_t is_small = 0U - ((magnitude - (113U << 23)) >> 31);
  const std::uint32_t pattern = ((normal | special) & ~is_small) | (multiple & is_small);
  const std::uint32_t is_nan = 0U - ((0x7f80'0000U - magnitude) >> 31);
  return static_cast<std::uint16_t>(pattern | ((bits >> 16) & 0x8000U & ~is_nan));
}

// The pattern of a value of bf16, NaN canonical.
inline std::uint16_t bf16_pattern(float value) {
  return static_cast<std::uint16_t>(cast_to<std::uint32_t>(value) >> 16);
}

// Exact; a NaN stays some NaN. The exponent moves from bias 15 to bias 127, and to all ones for infinity and NaN; a
// subnormal m·2^-24 is what m adds to 2^-14, less 2^-14.
inline float f16_value(std::uint16_t pattern) {
  const std::uint32_t magnitude = pattern & 0x7fffU;
  const std::uint32_t special = ((0x7bffU - magnitude) >> 31) * (112U << 23);
  const std::uint32_t wide = (magnitude << 13) + (112U << 23) + special;
  const std::uint32_t is_small = 0U - ((magnitude - 0x0400U) >> 31);
  const float small = cast_to<float>((magnitude << 13) + (113U << 23)) - 0x1p-14F;
  const std::uint32_t result = (wide & ~is_small) | (cast_to<std::uint32_t>(small) & is_small);
  return cast_to<float>(result | ((std::uint32_t{pattern} & 0x8000U) << 16));
}

inline float bf16_value(std::uint16_t pattern) { return cast_to<float>(std::uint32_t{pattern} << 16); }

template <typename Operation, std::uint16_t (*pattern_of)(float)>
void narrow_loop(const float* __restrict x, void* __restrict patterns, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint16_t pattern = pattern_of(Operation::apply(x[i]));
    __builtin_memcpy(static_cast<char*>(patterns) + 2 * i, &pattern, 2);
  }
}
inline void truth_loop(const float* __restrict x, void* __restrict truths, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t magnitude = cast_to<std::uint32_t>(x[i]) & 0x7fff'ffffU;
    // Of 0 to 2^31 - 1, what is below the pattern of infinity is one less than that of a number; 0 wraps to the top.
    const std::uint32_t less_one = (magnitude - 1U) & 0x7fff'ffffU;
    static_cast<unsigned char*>(truths)[i] = static_cast<unsigned char>((less_one - 0x7f80'0000U) >> 31);
  }
}
template <float (*value_of)(std::uint16_t)>
void widen_loop(const void* __restrict patterns, float* __restrict y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    std::uint16_t pattern;
    __builtin_memcpy(&pattern, static_cast<const char*>(patterns) + 2 * i, 2);
    y[i] = value_of(pattern);
  }
}

template <typename T>
struct Unchanged {
  static T apply(T x) { return x != x ? quiet_nan<T> : x; }
};

// Two loops, because a compiler must assume that two pointers overlap by a few elements.
template <typename Operation, typename T>
void transform(const T* __restrict x, T* __restrict y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] = Operation::apply(x[i]);
}
template <typename Operation, typename T>
void transform_in_place(T* y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] = Operation::apply(y[i]);
}
template <typename Operation, typename T>
void loop(const T* x, T* y, std::size_t n) {
  if (x == y) {
    transform_in_place<Operation>(y, n);
  } else {
    transform<Operation>(x, y, n);
  }
}

constexpr RoundLoops round_loops() {
  return {loop<Unchanged<double>, double>,
          loop<ThroughF32, double>,
          loop<NearestEven<double, 11, 15, -14>, double>,
          loop<NearestEven<double, 8, 127, -126>, double>,
          loop<Unchanged<float>, float>,
          loop<NearestEven<float, 11, 15, -14>, float>,
          loop<PrefixOfF32, float>,
          narrow_loop<NearestEven<float, 11, 15, -14>, f16_pattern>,
          narrow_loop<PrefixOfF32, bf16_pattern>,
          truth_loop,
          widen_loop<f16_value>,
          widen_loop<bf16_value>};
}

}  // namespace
}  // namespace fusecheck::numeric
