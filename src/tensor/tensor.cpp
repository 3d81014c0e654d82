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

// What round_to gives: any number but 0 is true, NaN is not. One loop, since every mask passes here.
template <class In>
void store_truths(std::span<const In> values, std::byte* bytes) {
  for (std::size_t i = 0; i < values.size(); ++i) bytes[i] = static_cast<std::byte>((values[i] < 0) | (values[i] > 0));
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
  if (dtype == DType::boolean) return store_truths(values, bytes);
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

void require_as_many(const Tensor& tensor, std::size_t values) {
  if (static_cast<std::int64_t>(values) != tensor.size()) {
    internal_error(std::to_string(values) + " values for a tensor of shape " + to_text(tensor.shape()));
  }
}

}  // namespace

Tensor::Tensor(DType dtype, Shape shape)
    : dtype_(dtype),
      shape_(std::move(shape)),
      size_(element_count(shape_)),
      bytes_(static_cast<std::size_t>(size_) * size_of(dtype)) {}

Tensor Tensor::from(DType dtype, Shape shape, std::span<const double> values) {
  Tensor tensor(dtype, std::move(shape));
  require_as_many(tensor, values.size());
  store_rounded_values(dtype, values, tensor.bytes().data());
  return tensor;
}

Tensor Tensor::from(DType dtype, Shape shape, std::span<const float> values) {
  Tensor tensor(dtype, std::move(shape));
  require_as_many(tensor, values.size());
  tensor.set(0, values);
  return tensor;
}

std::span<const std::byte> Tensor::bytes_of(std::int64_t first, std::size_t count) const {
  if (first < 0 || first > size_ || count > static_cast<std::size_t>(size_ - first)) {
    internal_error(std::to_string(count) + " elements from " + std::to_string(first) + " of a tensor of " +
                   std::to_string(size_));
  }
  const std::size_t each = size_of(dtype_);
  return bytes().subspan(static_cast<std::size_t>(first) * each, count * each);
}

void Tensor::set(std::int64_t first, std::span<const float> values) {
  const std::size_t offset = static_cast<std::size_t>(bytes_of(first, values.size()).data() - bytes_.data());
  const std::span<std::byte> to = bytes().subspan(offset, values.size() * size_of(dtype_));
  if (size_of(dtype_) == 2) return store_rounded(dtype_, values, to);
  if (is_floating(dtype_) || dtype_ == DType::boolean) return store_rounded_values(dtype_, values, to.data());
  // Integers pass through double, where every f32 and every i32 has its place.
  const std::vector<double> wide(values.begin(), values.end());
  store_rounded_values(dtype_, std::span<const double>(wide), to.data());
}

void Tensor::get(std::int64_t first, std::span<float> values) const {
  const std::span<const std::byte> from = bytes_of(first, values.size());
  if (size_of(dtype_) == 2) return load_values(dtype_, from, values);
  widen(dtype_, from.data(), values);
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
  get(0, values);
  return values;
}

std::string sha256(const Tensor& tensor) { return base::sha256_hex(tensor.bytes()); }

}  // namespace fusecheck
