#include "exchange/onnx_call.hpp"

#include "fusecheck/error.hpp"

namespace fusecheck::exchange {

std::string OnnxCall::in(const std::string& port) const {
  const auto found = operands_.find(port);
  return found == operands_.end() ? "" : found->second;
}

const Shape& OnnxCall::shape(const std::string& port) const {
  const auto found = shapes_.find(port);
  if (found == shapes_.end()) internal_error("onnx: no shape is known for '" + port + "' of " + result_);
  return found->second;
}

std::string OnnxCall::fresh(const std::string& what) {
  return result_ + "/" + what + "_" + std::to_string(model_.nodes.size() + model_.constants.size());
}

std::string OnnxCall::node(const std::string& op, std::vector<std::string> inputs, OnnxAttributes attributes) {
  const std::string name = fresh(op);
  model_.nodes.push_back({op, std::move(inputs), {name}, std::move(attributes)});
  return name;
}

std::string OnnxCall::numbers(Shape shape, const std::vector<double>& values, DType dtype) {
  const std::string name = fresh("constant");
  model_.constants.emplace_back(name, Tensor::from(dtype, std::move(shape), std::span<const double>(values)));
  return name;
}

std::string OnnxCall::number(double value) { return numbers({}, {value}, type_); }

std::string OnnxCall::integers(const std::vector<std::int64_t>& values) {
  return numbers({static_cast<std::int64_t>(values.size())}, std::vector<double>(values.begin(), values.end()),
                 DType::i64);
}

std::string OnnxCall::reshaped(const std::string& value, const Shape& shape) {
  OnnxAttributes attributes;
  for (const std::int64_t n : shape) {
    if (n == 0) attributes["allowzero"] = std::int64_t{1};
  }
  return node("Reshape", {value, integers(shape)}, std::move(attributes));
}

std::string OnnxCall::along(const std::string& vector, std::size_t axis, std::size_t rank) {
  if (axis + 1 == rank) return vector;
  Shape shape(rank - axis, 1);
  shape[0] = -1;
  return node("Reshape", {vector, integers(shape)});
}

std::vector<std::int64_t> integers_of(const Attrs& attrs, std::string_view name) {
  const std::vector<double>& list = attrs.list(name);
  return {list.begin(), list.end()};
}

}  // namespace fusecheck::exchange
