#include "tensor/memory_layout.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::tensor {
namespace {

constexpr std::int64_t fractal_rows = 16;  // M0 of a fractal
constexpr std::int64_t block_bytes = 32;

constexpr std::array<std::pair<LayoutKind, std::string_view>, 5> names = {{{LayoutKind::nd, "nd"},
                                                                           {LayoutKind::nchw, "nchw"},
                                                                           {LayoutKind::nhwc, "nhwc"},
                                                                           {LayoutKind::nc1hwc0, "nc1hwc0"},
                                                                           {LayoutKind::nz, "nz"}}};

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Position in the buffer of every logical element, in logical order.
std::vector<std::int64_t> positions(const MemoryLayout& layout, const Shape& shape, DType dtype) {
  const std::int64_t count = element_count(shape), block = block_of(layout, dtype);
  std::vector<std::int64_t> at(static_cast<std::size_t>(count));
  const auto plane = [&](std::size_t axis) { return shape[axis]; };
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t& place = at[static_cast<std::size_t>(i)];
    place = i;
    if (layout.kind == LayoutKind::nhwc || layout.kind == LayoutKind::nc1hwc0) {
      const std::int64_t c_count = plane(1), h_count = plane(2), w_count = plane(3);
      const std::int64_t w = i % w_count, h = i / w_count % h_count, c = i / (w_count * h_count) % c_count;
      const std::int64_t n = i / (w_count * h_count * c_count);
      place = layout.kind == LayoutKind::nhwc
                  ? ((n * h_count + h) * w_count + w) * c_count + c
                  : (((n * ceil_divide(c_count, block) + c / block) * h_count + h) * w_count + w) * block + c % block;
    } else if (layout.kind == LayoutKind::nz) {
      const std::int64_t columns = shape.back(), rows = shape[shape.size() - 2];
      const std::int64_t column = i % columns, row = i / columns % rows, matrix = i / (columns * rows);
      const std::int64_t m1 = ceil_divide(rows, fractal_rows), n1 = ceil_divide(columns, block);
      place = (((matrix * n1 + column / block) * m1 + row / fractal_rows) * fractal_rows + row % fractal_rows) * block +
              column % block;
    }
  }
  return at;
}

}  // namespace

MemoryLayout parse_layout(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  std::vector<std::string> known;
  for (const auto& [kind, known_name] : names) {
    known.emplace_back(known_name);
    if (known_name != name) continue;
    MemoryLayout layout{kind, 0};
    if (colon == std::string_view::npos) return layout;
    layout.block = base::parse_integer(text.substr(colon + 1), "layout " + std::string(text));
    if ((kind != LayoutKind::nc1hwc0 && kind != LayoutKind::nz) || layout.block < 1 || layout.block > 1024) {
      usage_error("layout " + base::quoted(text) + ": only nc1hwc0 and nz have a block, of 1 to 1024 lanes");
    }
    return layout;
  }
  usage_error("unknown layout " + base::quoted(text) + "; there are " + base::join(known, ", ") +
              base::hint(std::string(name), known));
}

std::string to_text(const MemoryLayout& layout) {
  for (const auto& [kind, name] : names) {
    if (kind != layout.kind) continue;
    return std::string(name) + (layout.block > 0 ? ":" + std::to_string(layout.block) : "");
  }
  internal_error("a layout without a name");
}

std::int64_t block_of(const MemoryLayout& layout, DType dtype) {
  return layout.block > 0 ? layout.block : block_bytes / static_cast<std::int64_t>(size_of(dtype));
}

bool fits(const MemoryLayout& layout, std::size_t rank) {
  if (layout.kind == LayoutKind::nd) return true;
  return layout.kind == LayoutKind::nz ? rank >= 2 : rank == 4;
}

Shape buffer_shape(const MemoryLayout& layout, const Shape& logical, DType dtype) {
  if (!fits(layout, logical.size())) {
    usage_error("layout " + to_text(layout) + " is for tensors of rank " +
                (layout.kind == LayoutKind::nz ? "2 or more" : "4") + ", not for " + fusecheck::to_text(logical));
  }
  const std::int64_t block = block_of(layout, dtype);
  if (layout.kind == LayoutKind::nhwc) return {logical[0], logical[2], logical[3], logical[1]};
  if (layout.kind == LayoutKind::nc1hwc0) {
    return {logical[0], ceil_divide(logical[1], block), logical[2], logical[3], block};
  }
  if (layout.kind == LayoutKind::nz) {
    Shape shape(logical.begin(), logical.end() - 2);
    const std::int64_t rows = logical[logical.size() - 2];
    shape.insert(shape.end(),
                 {ceil_divide(logical.back(), block), ceil_divide(rows, fractal_rows), fractal_rows, block});
    return shape;
  }
  return logical;
}

Tensor to_buffer(const Tensor& logical, const MemoryLayout& layout) {
  Tensor buffer(logical.dtype(), buffer_shape(layout, logical.shape(), logical.dtype()));
  const std::size_t width = size_of(logical.dtype());
  const std::byte* from = logical.bytes().data();
  for (const std::int64_t place : positions(layout, logical.shape(), logical.dtype())) {
    std::copy_n(from, width, buffer.bytes().data() + static_cast<std::size_t>(place) * width);
    from += width;
  }
  return buffer;
}

FromBuffer from_buffer(const Tensor& buffer, const MemoryLayout& layout, const Shape& logical, std::string_view what) {
  const Shape expected = buffer_shape(layout, logical, buffer.dtype());
  if (buffer.size() != element_count(expected)) {
    usage_error(std::string(what) + " has " + std::to_string(buffer.size()) + " elements (" +
                fusecheck::to_text(buffer.shape()) + "), " + to_text(layout) + " of " + fusecheck::to_text(logical) +
                " has " + std::to_string(element_count(expected)) + " (" + fusecheck::to_text(expected) + ")");
  }
  FromBuffer result{Tensor(buffer.dtype(), logical), buffer.size() - element_count(logical), {}};
  const std::size_t width = size_of(buffer.dtype());
  std::vector<bool> used(static_cast<std::size_t>(buffer.size()), false);
  std::byte* to = result.logical.bytes().data();
  for (const std::int64_t place : positions(layout, logical, buffer.dtype())) {
    std::copy_n(buffer.bytes().data() + static_cast<std::size_t>(place) * width, width, to);
    used[static_cast<std::size_t>(place)] = true;
    to += width;
  }
  for (std::int64_t i = 0; result.padding > 0 && i < buffer.size(); ++i) {
    if (!used[static_cast<std::size_t>(i)] && buffer.at(i) != 0) result.dirty.push_back(i);
  }
  return result;
}

}  // namespace fusecheck::tensor
