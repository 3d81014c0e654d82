#include "fusecheck/tensor.hpp"

#include <string>
#include <utility>

#include "base/digest.hpp"
#include "fusecheck/error.hpp"
#include "tensor/element.hpp"

namespace fusecheck {
namespace {

using tensor::load;
using tensor::store;

double value_at(DType dtype, const std::byte* bytes) {
  switch (dtype) {
    case DType::f64:
      return load<double>(bytes);
    case DType::f32:
      return static_cast<double>(load<float>(bytes));
    case DType::f16:
      return static_cast<double>(tensor::widen_f16(load<std::uint16_t>(bytes)));
    case DType::bf16:
      return static_cast<double>(tensor::widen_bf16(load<std::uint16_t>(bytes)));
    case DType::i64:
      return static_cast<double>(load<std::int64_t>(bytes));
    case DType::i32:
      return static_cast<double>(load<std::int32_t>(bytes));
    case DType::u8:
      return static_cast<double>(load<std::uint8_t>(bytes));
    case DType::boolean:
      return load<std::uint8_t>(bytes) == 0 ? 0.0 : 1.0;
  }
  internal_error("a tensor of an unknown dtype");
}

// `value` is a value of the format, so every conversion here is exact.
void put(DType dtype, std::byte* bytes, double value) {
  switch (dtype) {
    case DType::f64:
      return store(bytes, tensor::canonical(value));
    case DType::f32:
      return store(bytes, tensor::canonical(static_cast<float>(value)));
    case DType::f16:
      return store(bytes, tensor::narrow_f16(static_cast<float>(value)));
    case DType::bf16:
      return store(bytes, tensor::narrow_bf16(static_cast<float>(value)));
    case DType::i64:
      return store(bytes, static_cast<std::int64_t>(value));
    case DType::i32:
      return store(bytes, static_cast<std::int32_t>(value));
    case DType::u8:
      return store(bytes, static_cast<std::uint8_t>(value));
    case DType::boolean:
      return store(bytes, static_cast<std::uint8_t>(value != 0 ? 1 : 0));
  }
  internal_error("a tensor of an unknown dtype");
}

template <class Out>
void widen(DType dtype, const std::byte* bytes, std::span<Out> values) {
  // With the dtype outside the loop the compiler makes one tight loop per format.
  const auto fill = [&](auto value_of_bytes) {
    const std::size_t stride = size_of(dtype);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<Out>(value_of_bytes(bytes + i * stride));
  };
  if (dtype == DType::f16) return fill([](const std::byte* p) { return tensor::widen_f16(load<std::uint16_t>(p)); });
  if (dtype == DType::bf16) return fill([](const std::byte* p) { return tensor::widen_bf16(load<std::uint16_t>(p)); });
  if (dtype == DType::f32) return fill([](const std::byte* p) { return load<float>(p); });
  fill([dtype](const std::byte* p) { return value_at(dtype, p); });
}

template <class In>
void store_rounded_values(DType dtype, std::span<const In> values, std::byte* bytes) {
  if (dtype == DType::boolean) {  // any number but 0 is true, NaN is not
    for (std::size_t i = 0; i < values.size(); ++i)
      bytes[i] = static_cast<std::byte>(values[i] < 0 || values[i] > 0);
    return;
  }
  std::vector<In> storage(values.size());
  round_to(dtype, values, std::span<In>(storage));
  const std::size_t stride = size_of(dtype);
  const auto fill = [&](auto put_value) {
    for (std::size_t i = 0; i < storage.size(); ++i) put_value(bytes + i * stride, storage[i]);
  };
  if (dtype == DType::f16) {
    fill([](std::byte* p, In v) { store(p, tensor::narrow_f16(static_cast<float>(v))); });
  } else if (dtype == DType::bf16) {
    fill([](std::byte* p, In v) { store(p, tensor::narrow_bf16(static_cast<float>(v))); });
  } else if (dtype == DType::f32) {
    fill([](std::byte* p, In v) { store(p, tensor::canonical(static_cast<float>(v))); });
  } else {
    fill([dtype](std::byte* p, In v) { put(dtype, p, static_cast<double>(v)); });
  }
}

void require_as_many(DType dtype, std::size_t values, std::size_t bytes) {
  if (bytes == values * size_of(dtype)) return;
  internal_error(std::to_string(values) + " elements of " + std::string(name_of(dtype)) + " in " +
                 std::to_string(bytes) + " bytes");
}

Tensor zeros_for(DType dtype, Shape shape, std::size_t values) {
  Tensor tensor(dtype, std::move(shape));
  if (static_cast<std::int64_t>(values) == tensor.size()) return tensor;
  internal_error(std::to_string(values) + " values for a tensor of shape " + to_text(tensor.shape()));
}

}  // namespace

Tensor::Tensor(DType dtype, Shape shape)
    : dtype_(dtype),
      shape_(std::move(shape)),
      size_(element_count(shape_)),
      bytes_(static_cast<std::size_t>(size_) * size_of(dtype)) {}

Tensor::Tensor(DType dtype, Shape shape, std::vector<std::byte> bytes)
    : dtype_(dtype), shape_(std::move(shape)), size_(element_count(shape_)), bytes_(std::move(bytes)) {
  require_as_many(dtype, static_cast<std::size_t>(size_), bytes_.size());
}

Tensor Tensor::from(DType dtype, Shape shape, std::span<const double> values) {
  Tensor tensor = zeros_for(dtype, std::move(shape), values.size());
  store_rounded_values(dtype, values, tensor.bytes().data());
  return tensor;
}

Tensor Tensor::from(DType dtype, Shape shape, std::span<const float> values) {
  Tensor tensor = zeros_for(dtype, std::move(shape), values.size());
  write_elements(dtype, values, tensor.bytes());
  return tensor;
}

void read_elements(DType dtype, std::span<const std::byte> bytes, std::span<float> values) {
  require_as_many(dtype, values.size(), bytes.size());
  if (size_of(dtype) == 2) return load_values(dtype, bytes, values);
  widen(dtype, bytes.data(), values);
}

void write_elements(DType dtype, std::span<const float> values, std::span<std::byte> bytes) {
  require_as_many(dtype, values.size(), bytes.size());
  if (size_of(dtype) == 2) return store_rounded(dtype, values, bytes);
  if (dtype == DType::boolean) return store_truths(values, bytes);
  if (is_floating(dtype)) return store_rounded_values(dtype, values, bytes.data());
  // Integers pass through double, where every f32 and every i32 has its place.
  const std::vector<double> wide(values.begin(), values.end());
  store_rounded_values(dtype, std::span<const double>(wide), bytes.data());
}

double Tensor::at(std::int64_t i) const {
  if (i < 0 || i >= size_) internal_error("element " + std::to_string(i) + " of a tensor of " + std::to_string(size_));
  return value_at(dtype_, bytes_.data() + static_cast<std::size_t>(i) * size_of(dtype_));
}

std::vector<double> Tensor::doubles() const {
  std::vector<double> values(static_cast<std::size_t>(size_));
  widen(dtype_, bytes_.data(), std::span(values));
  return values;
}

std::vector<float> Tensor::floats() const {
  std::vector<float> values(static_cast<std::size_t>(size_));
  read_elements(dtype_, bytes_, values);
  return values;
}

std::string sha256(const Tensor& tensor) { return base::sha256_hex(tensor.bytes()); }

}  // namespace fusecheck
