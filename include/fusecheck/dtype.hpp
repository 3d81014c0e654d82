// Number formats, and how a value is rounded into one (NUMERICS.md N1, N2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fusecheck {

enum class DType : std::uint8_t { f64, f32, f16, bf16, i64, i32, u8, boolean };

// A binary floating-point format in the terms of IEEE 754-2019, table 3.5.
struct FormatInfo {
  int precision;  // significand bits, the hidden one included (p)
  int emax;       // largest exponent of a normal number: values stay below 2^(emax+1)
  int emin;       // smallest exponent of a normal number
};

bool is_floating(DType dtype);
std::size_t size_of(DType dtype);          // bytes of one element
const FormatInfo& format_of(DType dtype);  // floating types only; internal error otherwise
std::string_view name_of(DType dtype);     // "f16"
DType parse_dtype(std::string_view text);  // accepts "f16", "fp16", "float16", "half", ...; usage error otherwise

// The rounding directions of IEEE 754-2019 4.3, and von Neumann's rounding to odd.
enum class Rounding : std::uint8_t { nearest_even, nearest_away, toward_zero, up, down, odd };
// What lies beyond the largest finite value. infinity: as IEEE 754-2019 7.4 says for the direction, odd counting as
// toward_zero. saturate: the largest finite value, for an infinite argument too. NaN stays NaN.
enum class Overflow : std::uint8_t { infinity, saturate };
enum class Subnormals : std::uint8_t { keep, flush };  // flush: results below 2^emin become a zero of the same sign

struct RoundingRule {
  Rounding direction = Rounding::nearest_even;
  Overflow overflow = Overflow::infinity;
  Subnormals subnormals = Subnormals::keep;
  bool operator==(const RoundingRule&) const = default;
};

// The value of `format` that `x` rounds to, as a double (every value of every format here is one).
// One rounding, straight from double: never through f32. Any NaN becomes the canonical quiet NaN. Integers, whatever
// the rule: nearest, ties to even, saturating (i64 at 2^63-1024, the largest double in it), NaN -> 0; boolean: 1 unless
// 0 or NaN.
double round_to(DType format, double x, const RoundingRule& rule = {});

// The same for arrays of one size, several times faster by the default rule. x and y are the same memory or do not
// overlap. Bit-identical to the scalar function.
void round_to(DType format, std::span<const double> x, std::span<double> y, const RoundingRule& rule = {});
void round_to(DType format, std::span<const float> x, std::span<float> y, const RoundingRule& rule = {});

// Arrays of a 16-bit format as a tensor holds them, two little-endian bytes an element. `store_rounded` rounds each x to
// nearest even and writes its pattern, bits_of(format, round_to(format, x)); `load_values` gives the values, exactly, and
// some NaN for a NaN. No overlap; internal error for another format or when the sizes disagree.
void store_rounded(DType format, std::span<const float> x, std::span<std::byte> patterns);
void load_values(DType format, std::span<const std::byte> patterns, std::span<float> y);
// round_to(DType::boolean, x), a byte each: any number but 0 is true, NaN is not.
void store_truths(std::span<const float> x, std::span<std::byte> bytes);

// Bit patterns. `bits_of` takes a value of the format (a result of round_to), internal error otherwise; NaN gives the
// canonical quiet NaN:
// 0x7e00 (f16), 0x7fc0 (bf16), 0x7fc00000 (f32), 0x7ff8000000000000 (f64).
std::uint64_t bits_of(DType format, double value);
double value_of(DType format, std::uint64_t bits);

// The spacing of `format` at x: 2^(e-p+1) with e = floor(log2|x|), at least emin and at most emax; so the smallest
// subnormal at 0, the spacing of the largest values at infinity, NaN at NaN. Floating types. N3.
double ulp(DType format, double x);

// Representable values between a and b, counted along the line of all values with -0 = +0 as one point; 0 when equal.
// NaN against a number, an infinity against anything but itself, and more than that (f64) count as 2^63-1. Both NaN: 0.
// Integers: |a - b|.
std::int64_t ulp_distance(DType format, double a, double b);

double largest_finite(DType format);
double smallest_subnormal(DType format);
double smallest_normal(DType format);
double unit_roundoff(DType format);  // u = 2^-p, the largest relative error of one rounding to nearest

}  // namespace fusecheck
