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
std::size_t size_of(DType dtype);            // bytes of one element
const FormatInfo& format_of(DType dtype);    // floating types only; internal error otherwise
std::string_view name_of(DType dtype);       // "f16"
DType parse_dtype(std::string_view text);    // accepts "f16", "fp16", "float16", "half", ...; usage error otherwise

// The rounding directions of IEEE 754-2019 4.3, and von Neumann's rounding to odd.
enum class Rounding : std::uint8_t { nearest_even, nearest_away, toward_zero, up, down, odd };
enum class Overflow : std::uint8_t { infinity, saturate };  // saturate: the largest finite value; NaN stays NaN
enum class Subnormals : std::uint8_t { keep, flush };       // flush: results below 2^emin become a zero of the same sign

struct RoundingRule {
  Rounding direction = Rounding::nearest_even;
  Overflow overflow = Overflow::infinity;
  Subnormals subnormals = Subnormals::keep;
  bool operator==(const RoundingRule&) const = default;
};

// The value of `format` that `x` rounds to, as a double (every value of every format here is one).
// One rounding, straight from double: never through f32. NaN stays NaN. Integers: nearest, saturating, NaN -> 0.
double round_to(DType format, double x, const RoundingRule& rule = {});

// The same for arrays, several times faster; x and y may be the same memory. Bit-identical to the scalar function.
void round_to(DType format, std::span<const double> x, std::span<double> y, const RoundingRule& rule = {});
void round_to(DType format, std::span<const float> x, std::span<float> y, const RoundingRule& rule = {});

// Bit patterns. `bits_of` expects a value of the format (a result of round_to); NaN gives the canonical quiet NaN:
// 0x7e00 (f16), 0x7fc0 (bf16), 0x7fc00000 (f32), 0x7ff8000000000000 (f64).
std::uint64_t bits_of(DType format, double value);
double value_of(DType format, std::uint64_t bits);

// The spacing of `format` at x: 2^(e-p+1) with e = max(floor(log2|x|), emin); at 0 the smallest subnormal. N3.
double ulp(DType format, double x);

// Representable values between a and b, counted along the line of all values with -0 = +0 as one point; 0 when equal.
// NaN against a number, or infinities against finite values, count as 2^63-1. Both NaN: 0.
std::int64_t ulp_distance(DType format, double a, double b);

double largest_finite(DType format);
double smallest_subnormal(DType format);
double smallest_normal(DType format);
double unit_roundoff(DType format);  // u = 2^-p, the largest relative error of one rounding to nearest

}  // namespace fusecheck
