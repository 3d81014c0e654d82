// Arrays rounded to nearest even without branches, so that compilers vectorise the loops for any x86-64 and any Arm.
//
// Adding and subtracting C = 2^(e+D-p), where D is the precision of the arithmetic and 2^e <= |x| < 2^(e+1), rounds |x|
// to a multiple of ulp(C) = 2^(e-p+1): the subtraction is exact, and C/ulp(C) is even, so that ties go to the even
// significand. Raising e to emin gives the subnormals. Needs the default rounding mode, as all of fusecheck does.
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "fusecheck/dtype.hpp"
#include "fusecheck/error.hpp"
#include "numeric/binary64.hpp"

namespace fusecheck {
namespace {

template <typename T>
using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <typename T>
inline constexpr int precision_of = std::numeric_limits<T>::digits;

template <typename T>
inline constexpr T quiet_nan = std::bit_cast<T>(sizeof(T) == 8 ? static_cast<Bits<T>>(0x7ff8'0000'0000'0000)
                                                               : static_cast<Bits<T>>(0x7fc0'0000));

template <typename T>
constexpr T power(int exponent) {
  return static_cast<T>(numeric::power_of_two(exponent));
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
  const U is_nan = U{0} - ((std::bit_cast<U>(std::numeric_limits<T>::infinity()) - magnitude) >> top_bit<U>);
  return std::bit_cast<T>((std::bit_cast<U>(result) & ~is_nan) | (std::bit_cast<U>(quiet_nan<T>) & is_nan));
}

// T rounded to the format (precision, emax, emin), which must be narrower and have a smaller emax.
template <typename T, int precision, int emax, int emin>
struct NearestEven {
  static T apply(T x) {
    using U = Bits<T>;
    constexpr U sign_bit = U{1} << top_bit<U>;
    constexpr U exponent_field = std::bit_cast<U>(std::numeric_limits<T>::infinity());
    constexpr int fraction_bits = precision_of<T> - 1;
    constexpr U to_shifter = static_cast<U>(precision_of<T> - precision) << fraction_bits;
    // Scaling by 2^headroom and back sends 2^(emax+1) and above to infinity and leaves the rest as it is.
    constexpr int headroom = std::numeric_limits<T>::max_exponent - 1 - emax;
    constexpr T expand = power<T>(headroom);
    constexpr T shrink = power<T>(-headroom);
    const U bits = std::bit_cast<U>(x);
    const U magnitude = bits & ~sign_bit;
    const T in_range = (std::bit_cast<T>(magnitude) * expand) * shrink;
    const U binade = larger(std::bit_cast<U>(in_range) & exponent_field, std::bit_cast<U>(power<T>(emin)));
    // For infinity and NaN the exponent wraps around to a tiny negative C, which changes neither.
    const T shifter = std::bit_cast<T>(binade + to_shifter);
    const T rounded = (in_range + shifter) - shifter;
    const T bounded = (rounded * expand) * shrink;
    return canonical(std::bit_cast<T>(std::bit_cast<U>(bounded) | (bits & sign_bit)), magnitude);
  }
};

// f64 to f32, which every machine has.
struct ThroughF32 {
  static double apply(double x) {
    const double rounded = static_cast<double>(static_cast<float>(x));
    return canonical(rounded, std::bit_cast<std::uint64_t>(x) & ~numeric::sign_mask);
  }
};

// f32 to bf16: the significand is a prefix, so the carry of one integer addition rounds, into the next exponent and
// into infinity where it has to.
struct PrefixOfF32 {
  static float apply(float x) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) & 0xffff'0000U;
    return x != x ? numeric::canonical_nan_f32 : std::bit_cast<float>(rounded);
  }
};

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
void apply(std::span<const T> x, std::span<T> y) {
  if (x.data() == y.data()) {
    transform_in_place<Operation>(y.data(), y.size());
  } else {
    transform<Operation>(x.data(), y.data(), y.size());
  }
}

// Any rule and any format, by the scalar definition.
template <typename T>
void round_each(DType format, std::span<const T> x, std::span<T> y, const RoundingRule& rule) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double rounded = round_to(format, static_cast<double>(x[i]), rule);
    y[i] = rounded != rounded ? quiet_nan<T> : static_cast<T>(rounded);
  }
}

template <typename T>
void require_same_size(std::span<const T> x, std::span<T> y) {
  if (x.size() != y.size()) {
    internal_error("round_to: " + std::to_string(x.size()) + " values into an array of " + std::to_string(y.size()));
  }
}

}  // namespace

void round_to(DType format, std::span<const double> x, std::span<double> y, const RoundingRule& rule) {
  require_same_size(x, y);
  const bool fast = rule == RoundingRule{};
  if (fast && format == DType::f64) return apply<Unchanged<double>>(x, y);
  if (fast && format == DType::f32) return apply<ThroughF32>(x, y);
  if (fast && format == DType::f16) return apply<NearestEven<double, 11, 15, -14>>(x, y);
  if (fast && format == DType::bf16) return apply<NearestEven<double, 8, 127, -126>>(x, y);
  round_each(format, x, y, rule);
}

void round_to(DType format, std::span<const float> x, std::span<float> y, const RoundingRule& rule) {
  require_same_size(x, y);
  const bool fast = rule == RoundingRule{};
  // Every f32 value is a value of f64 already.
  if (fast && (format == DType::f64 || format == DType::f32)) return apply<Unchanged<float>>(x, y);
  if (fast && format == DType::f16) return apply<NearestEven<float, 11, 15, -14>>(x, y);
  if (fast && format == DType::bf16) return apply<PrefixOfF32>(x, y);
  round_each(format, x, y, rule);
}

}  // namespace fusecheck
