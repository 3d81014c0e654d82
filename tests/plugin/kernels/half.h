/* IEEE 754 binary16 as a bit pattern, to float and back (to nearest, ties to even). */
#ifndef HALF_H
#define HALF_H

#include <stdint.h>
#include <string.h>

typedef uint16_t half;

static inline float float_of(half value) {
  const uint32_t sign = (uint32_t)(value & 0x8000u) << 16;
  const uint32_t exponent = (value >> 10) & 31u, fraction = value & 1023u;
  uint32_t bits = sign | ((exponent + 112u) << 23) | (fraction << 13);
  float result;
  if (exponent == 0) { /* fraction * 2^-24, exact in float */
    result = (float)fraction * 0x1p-24f;
    return sign ? -result : result;
  }
  if (exponent == 31) bits = sign | 0x7f800000u | (fraction << 13);
  memcpy(&result, &bits, sizeof result);
  return result;
}

static inline half half_of(float value) {
  uint32_t bits, magnitude, rest, halfway, shift, result;
  memcpy(&bits, &value, sizeof bits);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7e00;
  if (magnitude >= 0x47800000u) return (half)(sign | 0x7c00u); /* 65536 and more */
  if (magnitude < 0x33000000u) return (half)sign;              /* below half of the smallest subnormal, 2^-25 */
  if (magnitude < 0x38800000u) {                               /* subnormal: the significand moves right */
    shift = 126u - (magnitude >> 23);
    const uint32_t significand = (magnitude & 0x7fffffu) | 0x800000u;
    result = significand >> shift;
    rest = significand & ((1u << shift) - 1u);
  } else {
    shift = 13;
    result = (magnitude - (112u << 23)) >> 13;
    rest = magnitude & 0x1fffu;
  }
  halfway = 1u << (shift - 1);
  if (rest > halfway || (rest == halfway && (result & 1u))) ++result; /* may carry into infinity, which is right */
  return (half)(sign | result);
}

#endif
