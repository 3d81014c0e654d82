// What an output's memory holds before the kernel runs: what is still there afterwards was not written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "fusecheck/tensor.hpp"

namespace fusecheck::plugin {

// Two kinds, so that a kernel that reads what it has not written gives different results.
//   nan      a quiet NaN with a payload that no arithmetic makes: f16 0x7ea5, bf16 0x7fe5, f32 0x7fe5a5a5,
//            f64 0x7ffca5a5a5a5a5a5; every byte 0xa5 of integers
//   number   13.65 or so, neither large enough to swallow what is added to it nor any that a kernel is likely to give:
//            f16 0x4ad3, bf16 0x415a, f32 0x415a5a5b, f64 0x402b4b4b4b4b4b4b; every byte 0x5a of integers
enum class Poison : std::uint8_t { nan, number };

// `bytes` holds whole elements.
void fill(std::span<std::byte> bytes, DType dtype, Poison poison);

// The pattern of one element as it lies in memory, in the lowest size_of(dtype) bytes.
std::uint64_t pattern_of(DType dtype, Poison poison);

}  // namespace fusecheck::plugin
