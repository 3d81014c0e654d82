// How the elements of a tensor lie in a kernel's buffer. Tensors here are always logical and row-major (n,c,h,w); a
// buffer on the device may be blocked, permuted and padded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fusecheck/tensor.hpp"

namespace fusecheck::tensor {

// Formulas: CANN's data layout formats, as Ascend's public documentation defines them.
enum class LayoutKind : std::uint8_t {
  nd,       // as it is, any rank
  nchw,     // as it is, rank 4
  nhwc,     // rank 4: [n,h,w,c]
  nc1hwc0,  // rank 4: [n,c1,h,w,c0], c1 = ceil(c/c0); lanes of channels beyond c are 0
  nz,       // [..., m, n] of rank 2 or more: [..., n1, m1, 16, n0], m1 = ceil(m/16), n1 = ceil(n/n0); the rest is 0
};

struct MemoryLayout {
  LayoutKind kind = LayoutKind::nd;
  std::int64_t block = 0;  // c0 or n0; 0: 32 bytes of elements, at most 16 lanes of 16-bit, 8 of 32-bit
  bool operator==(const MemoryLayout&) const = default;
};

// "nchw", "nc1hwc0", "nc1hwc0:16" (a block of another width: CANN's graph engine uses 16 for f32 too), "nz:8".
// Usage error otherwise.
MemoryLayout parse_layout(std::string_view text);
std::string to_text(const MemoryLayout& layout);

// Lanes of a block: 32 bytes of elements unless the layout says otherwise.
std::int64_t block_of(const MemoryLayout& layout, DType dtype);
// Whether a tensor of this rank can lie so.
bool fits(const MemoryLayout& layout, std::size_t rank);
// Shape of the buffer. Usage error where the rank does not fit.
Shape buffer_shape(const MemoryLayout& layout, const Shape& logical, DType dtype);

// The buffer of a tensor, padding 0.
Tensor to_buffer(const Tensor& logical, const MemoryLayout& layout);

// The tensor in a buffer, which may have any shape of the right size.
struct FromBuffer {
  Tensor logical;
  std::int64_t padding = 0;         // lanes that belong to no element
  std::vector<std::int64_t> dirty;  // those that are not 0 (-0 is 0), ascending positions in the buffer
};
// Usage error where the number of elements is not that of buffer_shape.
FromBuffer from_buffer(const Tensor& buffer, const MemoryLayout& layout, const Shape& logical, std::string_view what);

}  // namespace fusecheck::tensor
