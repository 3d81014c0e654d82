// .npy files for tests, put together byte by byte and not with the writer under test.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fusecheck::testing {

// Little-endian bytes of `value`.
inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

// Magic, version, length, and `dictionary` with spaces and a newline up to `payload_at` bytes in all.
inline std::string npy_header(std::string_view dictionary, std::size_t payload_at = 128, int version = 1) {
  const int length_bytes = version == 1 ? 2 : 4;
  const std::size_t before = 8 + static_cast<std::size_t>(length_bytes);
  std::string text(dictionary);
  text.append(payload_at - before - dictionary.size() - 1, ' ');
  text += '\n';
  return std::string("\x93NUMPY") + static_cast<char>(version) + '\0' + little_endian(text.size(), length_bytes) + text;
}

// `shape` as Python writes it: "(2, 3)".
inline std::string dictionary(std::string_view descr, std::string_view shape,
                              std::string_view fortran_order = "False") {
  return "{'descr': '" + std::string(descr) + "', 'fortran_order': " + std::string(fortran_order) +
         ", 'shape': " + std::string(shape) + ", }";
}

}  // namespace fusecheck::testing
