// One element between its file bytes and a value, inline so that loops over tensors vectorise. What a format means is
// defined by bits_of and value_of (fusecheck/dtype.hpp); the tests compare the two on every 16-bit pattern.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fusecheck::tensor {

static_assert(std::endian::native == std::endian::little, "tensors hold little-endian bytes and load them directly");

template <class T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <class T>
void store(std::byte* bytes, T value) {
  std::memcpy(bytes, &value, sizeof value);
}

// Exact; a NaN stays some NaN.
inline float widen_f16(std::uint16_t half) {
  const std::uint32_t magnitude = half & 0x7fffu;
  const std::uint32_t sign = (half & 0x8000u) << 16;
  // Moves the exponent from bias 15 to bias 127; Inf and NaN keep an exponent field of all ones.
  const std::uint32_t normal = (magnitude << 13) + (112u << 23);
  const std::uint32_t special = (magnitude << 13) | 0x7f800000u;
  // A subnormal is m·2^-24, exact in f32.
  const auto subnormal =
      std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24f);
  const std::uint32_t widened = magnitude >= 0x7c00u ? special : magnitude < 0x0400u ? subnormal : normal;
  return std::bit_cast<float>(widened | sign);
}

inline float widen_bf16(std::uint16_t half) { return std::bit_cast<float>(std::uint32_t{half} << 16); }

// The pattern of a value that is representable in the format; NaN becomes the canonical quiet NaN.
inline std::uint16_t narrow_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  if (magnitude > 0x7f800000u) return 0x7e00;
  if (magnitude == 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (magnitude >= (113u << 23)) return static_cast<std::uint16_t>(sign | ((magnitude - (112u << 23)) >> 13));
  const auto multiple =
      static_cast<std::uint32_t>(static_cast<std::int32_t>(std::bit_cast<float>(magnitude) * 0x1p24f));
  return static_cast<std::uint16_t>(sign | multiple);
}

inline std::uint16_t narrow_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits & 0x7fffffffu) > 0x7f800000u ? std::uint16_t{0x7fc0} : static_cast<std::uint16_t>(bits >> 16);
}

inline float canonical(float value) { return value == value ? value : std::bit_cast<float>(0x7fc00000u); }

inline double canonical(double value) { return value == value ? value : std::bit_cast<double>(0x7ff8000000000000u); }

}  // namespace fusecheck::tensor
