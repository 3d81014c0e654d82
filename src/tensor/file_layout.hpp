// What a tensor file holds and where, found out and checked before any of its payload is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "fusecheck/tensor.hpp"

namespace fusecheck::tensor {

struct OpenFile {
  std::string name;  // for messages: quoted where the path is unprintable or long
  std::ifstream stream;
  std::uintmax_t size = 0;

  // Exactly `count` bytes from the current position; no-verdict error where they cannot be had.
  void read(std::byte* to, std::size_t count);
  std::string read_text(std::size_t count);
};

// No-verdict error: absent or unreadable. Usage error: not a regular file.
OpenFile open_file(const std::filesystem::path& path);

// Where the payload lies and what it means.
struct Layout {
  FileHeader header;
  std::uintmax_t offset = 0;
  bool swap_bytes = false;
  bool fortran_order = false;
};

// Recognises the file by its first bytes. On return the file holds exactly the payload that the layout names;
// usage error otherwise (fusecheck/tensor.hpp lists what is refused).
Layout inspect(OpenFile& file, const std::filesystem::path& path, const Declared& declared);

}  // namespace fusecheck::tensor
