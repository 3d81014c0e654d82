// A dense row-major tensor that owns its bytes (little-endian, as in a file).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fusecheck/dtype.hpp"
#include "fusecheck/shape.hpp"

namespace fusecheck {

class Tensor {
 public:
  Tensor() = default;
  Tensor(DType dtype, Shape shape);  // zeros
  // Internal error when there are not as many bytes as the shape needs.
  Tensor(DType dtype, Shape shape, std::vector<std::byte> bytes);
  // Each value is rounded once to dtype, to nearest even.
  static Tensor from(DType dtype, Shape shape, std::span<const double> values);
  static Tensor from(DType dtype, Shape shape, std::span<const float> values);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  std::int64_t size() const { return size_; }
  double at(std::int64_t i) const;
  std::vector<double> doubles() const;
  std::vector<float> floats() const;  // floating types up to f32 exactly; f64 rounds
  std::span<const std::byte> bytes() const { return bytes_; }
  std::span<std::byte> bytes() { return bytes_; }

 private:
  DType dtype_ = DType::f32;
  Shape shape_;
  std::int64_t size_ = 0;
  std::vector<std::byte> bytes_;
};

// Elements of a tensor by themselves: what Tensor::floats() gives, and the bytes of what Tensor::from() makes. Internal
// error when the numbers of elements and of bytes disagree.
void read_elements(DType dtype, std::span<const std::byte> bytes, std::span<float> values);
void write_elements(DType dtype, std::span<const float> values, std::span<std::byte> bytes);

using Tensors = std::map<std::string, Tensor, std::less<>>;

// What a file is declared to hold, where the caller knows: a contradiction with a header is a usage error that names
// both. A .bin has no header, so there both must be declared.
struct Declared {
  std::optional<DType> dtype;
  std::optional<Shape> shape;
};

// Reads a .npy (version 1.0 to 3.0, C or Fortran order, any byte order numpy writes) or a headerless .bin.
// bf16 stored as '<u2' is read as bf16 where `declared.dtype` says bf16.
// Usage error (exit 2): truncated, trailing bytes, pickled, wrong byte count, a Git LFS pointer, an unknown dtype,
// a header that promises more than the file holds. No-verdict error (exit 3): the file is absent or unreadable.
Tensor read_tensor(const std::filesystem::path& file, const Declared& declared = {});

// Only the header: what a .npy holds, checked like read_tensor but without loading the payload.
struct FileHeader {
  DType dtype;
  Shape shape;
};
FileHeader read_header(const std::filesystem::path& file, const Declared& declared = {});

// .npy version 1.0, little-endian, C order, payload at byte 128 (N8); bf16 as '<u2' bit patterns, boolean as '|b1'.
// Written to a temporary name and renamed: nothing half-written is left. No-verdict error when it cannot be written.
void write_npy(const std::filesystem::path& file, const Tensor& tensor);

// SHA-256 of the payload bytes, lower-case hex: what `tail -c +129 FILE.npy | sha256sum` prints.
std::string sha256(const Tensor& tensor);

}  // namespace fusecheck
