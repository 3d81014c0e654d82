// The header of a .npy file as text: the Python dictionary that numpy's format specification (NEP 1) puts there.
#pragma once

#include <string>
#include <string_view>

#include "fusecheck/shape.hpp"

namespace fusecheck::tensor {

struct NpyHeader {
  std::string descr;  // "<f4": byte order, kind, bytes
  bool fortran_order = false;
  Shape shape;
};

// Parses {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }: exactly these three keys, in any order.
// Usage error otherwise; `file` names the file in the message.
NpyHeader parse_npy_header(std::string_view text, const std::string& file);

// Everything before the payload, byte for byte as numpy (1.23 to 2.x) writes format version 1.0: magic, version, header
// length, dictionary, spaces up to a multiple of 64 bytes, newline.
std::string npy_preamble(const NpyHeader& header);

}  // namespace fusecheck::tensor
