#include "plugin/poison.hpp"

#include <cstring>

namespace fusecheck::plugin {

std::uint64_t pattern_of(DType dtype, Poison poison) {
  const std::uint64_t used = ~std::uint64_t{0} >> (64 - 8 * size_of(dtype));
  const bool nan = poison == Poison::nan;
  if (dtype == DType::f16) return nan ? 0x7ea5 : 0x4ad3;
  if (dtype == DType::bf16) return nan ? 0x7fe5 : 0x415a;
  if (dtype == DType::f32) return nan ? 0x7fe5a5a5 : 0x415a5a5b;
  if (dtype == DType::f64) return nan ? 0x7ffca5a5a5a5a5a5 : 0x402b4b4b4b4b4b4b;
  return (nan ? 0xa5a5a5a5a5a5a5a5 : 0x5a5a5a5a5a5a5a5a) & used;
}

void fill(std::span<std::byte> bytes, DType dtype, Poison poison) {
  const std::uint64_t pattern = pattern_of(dtype, poison);
  const std::size_t size = size_of(dtype);
  for (std::size_t i = 0; i + size <= bytes.size(); i += size) std::memcpy(bytes.data() + i, &pattern, size);
}

}  // namespace fusecheck::plugin
