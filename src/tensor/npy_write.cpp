#include <unistd.h>

#include <fstream>
#include <string>
#include <system_error>

#include "fusecheck/error.hpp"
#include "fusecheck/tensor.hpp"
#include "tensor/npy_header.hpp"

namespace fusecheck {
namespace {

std::string descr_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return "<f8";
    case DType::f32:
      return "<f4";
    case DType::f16:
      return "<f2";
    case DType::bf16:
      return "<u2";  // numpy has no bf16: its bit patterns
    case DType::i64:
      return "<i8";
    case DType::i32:
      return "<i4";
    case DType::u8:
      return "|u1";
    case DType::boolean:
      return "|b1";
  }
  internal_error("a tensor of an unknown dtype cannot be written");
}

}  // namespace

void write_npy(const std::filesystem::path& file, const Tensor& tensor) {
  const std::string name = file.string();
  std::error_code error;
  // Renaming over a directory fails late, and over a device such as /dev/null would replace it.
  const auto status = std::filesystem::status(file, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    no_verdict_error(name + ": cannot be written: it exists and is not a regular file");
  }
  // In the same folder, because a rename is atomic only inside one file system.
  std::filesystem::path temporary = file;
  temporary += "." + std::to_string(getpid()) + ".partial";
  bool written = false;
  {
    std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
    if (!stream) no_verdict_error(name + ": cannot be written; check that its folder exists and may be written to");
    const std::string preamble = tensor::npy_preamble({descr_of(tensor.dtype()), false, tensor.shape()});
    stream.write(preamble.data(), static_cast<std::streamsize>(preamble.size()));
    const auto bytes = tensor.bytes();
    stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    stream.close();
    written = static_cast<bool>(stream);
  }
  if (written) std::filesystem::rename(temporary, file, error);
  if (!written || error) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    no_verdict_error(name + ": cannot be written" + (error ? ": " + error.message() : "; is the disk full?"));
  }
}

}  // namespace fusecheck
