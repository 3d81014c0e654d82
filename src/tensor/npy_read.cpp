#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "fusecheck/error.hpp"
#include "fusecheck/tensor.hpp"
#include "tensor/file_layout.hpp"

namespace fusecheck {
namespace {

void reverse_elements(std::span<std::byte> bytes, std::size_t element) {
  for (std::size_t i = 0; i < bytes.size(); i += element) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                 bytes.begin() + static_cast<std::ptrdiff_t>(i + element));
  }
}

// The same elements with the last index fastest; `columns` has the first index fastest.
Tensor to_row_major(const Tensor& columns) {
  const Shape& shape = columns.shape();
  const std::size_t width = size_of(columns.dtype());
  Tensor rows(columns.dtype(), shape);
  std::vector<std::int64_t> index(shape.size(), 0);
  const std::byte* from = columns.bytes().data();
  std::vector<std::size_t> strides(shape.size(), width);
  for (std::size_t axis = shape.size(); axis-- > 1;) {
    strides[axis - 1] = strides[axis] * static_cast<std::size_t>(shape[axis]);
  }
  std::size_t position = 0;
  for (std::int64_t i = 0; i < columns.size(); ++i, from += width) {
    std::copy_n(from, width, rows.bytes().data() + position);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      position += strides[axis];
      if (++index[axis] < shape[axis]) break;
      position -= strides[axis] * static_cast<std::size_t>(shape[axis]);
      index[axis] = 0;
    }
  }
  return rows;
}

void check_booleans(const std::string& file, const Tensor& tensor) {
  const auto bytes = tensor.bytes();
  const auto wrong = std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return std::to_integer<int>(b) > 1; });
  if (wrong == bytes.end()) return;
  usage_error(file + ": element " + std::to_string(wrong - bytes.begin()) + " of a boolean tensor is " +
              std::to_string(std::to_integer<int>(*wrong)) + "; write 0 or 1");
}

}  // namespace

FileHeader read_header(const std::filesystem::path& path, const Declared& declared) {
  tensor::OpenFile file = tensor::open_file(path);
  return tensor::inspect(file, path, declared).header;
}

Tensor read_tensor(const std::filesystem::path& path, const Declared& declared) {
  tensor::OpenFile file = tensor::open_file(path);
  const tensor::Layout layout = tensor::inspect(file, path, declared);
  // The file is known to hold this many bytes.
  Tensor read(layout.header.dtype, layout.header.shape);
  file.stream.seekg(static_cast<std::streamoff>(layout.offset));
  file.read(read.bytes().data(), read.bytes().size());
  if (layout.swap_bytes) reverse_elements(read.bytes(), size_of(read.dtype()));
  if (read.dtype() == DType::boolean) check_booleans(file.name, read);
  return layout.fortran_order ? to_row_major(read) : read;
}

}  // namespace fusecheck
