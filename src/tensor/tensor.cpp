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
Tensor truths(Shape shape, std::span<const In> values) {
  Tensor tensor(DType::boolean, std::move(shape));
  if (static_cast<std::int64_t>(values.size()) != tensor.size()) {
    internal_error(std::to_string(values.size()) + " values for a tensor of shape " + to_text(tensor.shape()));
  }
  std::byte* bytes = tensor.bytes().data();
  for (std::size_t i = 0; i < values.size(); ++i) bytes[i] = static_cast<std::byte>(values[i] < 0 || values[i] > 0);
  return tensor;
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
std::vector<Out> widened(const Tensor& tensor) {
  // With the dtype outside the loop the compiler makes one tight loop per format.
  const auto fill = [&](auto value_of_bytes) {
    const std::byte* bytes = tensor.bytes().data();
    const std::size_t stride = size_of(tensor.dtype());
    std::vector<Out> values(static_cast<std::size_t>(tensor.size()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<Out>(value_of_bytes(bytes + i * stride));
    return values;
  };
  const DType dtype = tensor.dtype();
  if (dtype == DType::f16) return fill([](const std::byte* p) { return tensor::widen_f16(load<std::uint16_t>(p)); });
  if (dtype == DType::bf16) return fill([](const std::byte* p) { return tensor::widen_bf16(load<std::uint16_t>(p)); });
  if (dtype == DType::f32) return fill([](const std::byte* p) { return load<float>(p); });
  return fill([dtype](const std::byte* p) { return value_at(dtype, p); });
}

template <class In>
Tensor rounded(DType dtype, Shape shape, std::span<const In> values) {
  Tensor tensor(dtype, std::move(shape));
  if (static_cast<std::int64_t>(values.size()) != tensor.size()) {
    internal_error(std::to_string(values.size()) + " values for a tensor of shape " + to_text(tensor.shape()));
  }
  std::vector<In> storage(values.size());
  round_to(dtype, values, std::span<In>(storage));
  std::byte* bytes = tensor.bytes().data();
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
  return tensor;
}

}  // namespace

Tensor::Tensor(DType dtype, Shape shape)
    : dtype_(dtype),
      shape_(std::move(shape)),
      size_(element_count(shape_)),
      bytes_(static_cast<std::size_t>(size_) * size_of(dtype)) {}

Tensor Tensor::from(DType dtype, Shape shape, std::span<const double> values) {
  if (dtype == DType::boolean) return truths(std::move(shape), values);
  return rounded(dtype, std::move(shape), values);
}

Tensor Tensor::from(DType dtype, Shape shape, std::span<const float> values) {
  if (dtype == DType::boolean) return truths(std::move(shape), values);
  // Integers pass through double, where every f32 and every i32 has its place.
  if (is_floating(dtype)) return rounded(dtype, std::move(shape), values);
  const std::vector<double> wide(values.begin(), values.end());
  return rounded(dtype, std::move(shape), std::span<const double>(wide));
}

double Tensor::at(std::int64_t i) const {
  if (i < 0 || i >= size_) internal_error("element " + std::to_string(i) + " of a tensor of " + std::to_string(size_));
  return value_at(dtype_, bytes_.data() + static_cast<std::size_t>(i) * size_of(dtype_));
}

std::vector<double> Tensor::doubles() const { return widened<double>(*this); }

std::vector<float> Tensor::floats() const { return widened<float>(*this); }

std::string sha256(const Tensor& tensor) { return base::sha256_hex(tensor.bytes()); }

}  // namespace fusecheck
