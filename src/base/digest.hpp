// SHA-256 of bytes in memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace fusecheck::base {

// SHA-256 (FIPS 180-4) as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::span<const std::byte> bytes);

}  // namespace fusecheck::base
