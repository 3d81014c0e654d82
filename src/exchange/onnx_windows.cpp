// Convolutions, pooling and products of matrices.
#include <algorithm>
#include <numeric>
#include <utility>

#include "exchange/onnx_call.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::exchange {
namespace {

using Integers = std::vector<std::int64_t>;

// Of both, fusecheck's pad and ONNX's pads are the numbers before each axis, then those after each. -1 keeps the size
// at stride 1.
Integers pads_of(const Attrs& attrs, const Integers& kernel, const Integers& dilation) {
  Integers pads = integers_of(attrs, "pad");
  for (std::size_t side = 0; side < pads.size(); ++side) {
    const std::size_t axis = side % kernel.size();
    if (pads[side] < 0) pads[side] = dilation[axis] * (kernel[axis] - 1) / 2;
  }
  return pads;
}

OnnxAttributes convolution_attributes(const OnnxCall& call) {
  const Shape& w = call.shape("w");
  const Integers kernel(w.begin() + 2, w.end());
  const Integers dilations = integers_of(call.attrs(), "dilation");
  return {{"kernel_shape", kernel},
          {"strides", integers_of(call.attrs(), "stride")},
          {"dilations", dilations},
          {"pads", pads_of(call.attrs(), kernel, dilations)},
          {"group", call.attrs().integer("groups")}};
}

std::vector<std::string> convolution_inputs(const OnnxCall& call) {
  std::vector<std::string> inputs = {call.in("x"), call.in("w")};
  if (call.given("b")) inputs.push_back(call.in("b"));
  return inputs;
}

// With ceil_mode ONNX counts a window that begins in the padding behind x, which frameworks drop (PyTorch), and
// runtimes differ: such a case has no agreed meaning there.
void require_same_windows(const OnnxCall& call, const OnnxAttributes& attributes) {
  const auto list = [&](const char* name) -> const Integers& { return std::get<Integers>(attributes.at(name)); };
  const Shape &x = call.shape("x"), &y = call.shape("y");
  const Integers &kernel = list("kernel_shape"), &strides = list("strides"), &pads = list("pads");
  for (std::size_t axis = 0; axis < kernel.size(); ++axis) {
    const std::int64_t room = x[axis + 2] + pads[axis] + pads[axis + kernel.size()] - kernel[axis];
    const std::int64_t onnx = (room + strides[axis] - 1) / strides[axis] + 1;
    if (onnx == y[axis + 2]) continue;
    usage_error("--format onnx: round_up=1 gives " + std::to_string(onnx) + " windows along axis " +
                std::to_string(axis + 2) + " in ONNX and " + std::to_string(y[axis + 2]) +
                " here, where one that begins in the padding does not count; use round_up=0 or another padding");
  }
}

OnnxAttributes pool_attributes(const OnnxCall& call) {
  const Integers kernel = integers_of(call.attrs(), "kernel");
  Integers strides = integers_of(call.attrs(), "stride");
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    if (strides[axis] == 0) strides[axis] = kernel[axis];
  }
  OnnxAttributes attributes = {{"kernel_shape", kernel},
                               {"strides", strides},
                               {"pads", pads_of(call.attrs(), kernel, Integers(kernel.size(), 1))},
                               {"ceil_mode", call.attrs().integer("round_up")}};
  if (call.attrs().integer("round_up") == 1) require_same_windows(call, attributes);
  return attributes;
}

std::string swapped(OnnxCall& call, const std::string& value, std::size_t rank) {
  Integers order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[rank - 1], order[rank - 2]);
  return call.node("Transpose", {value}, {{"perm", order}});
}

}  // namespace

std::string emit_conv(OnnxCall& call) {
  return call.node("Conv", convolution_inputs(call), convolution_attributes(call));
}

std::string emit_conv_transpose(OnnxCall& call) {
  OnnxAttributes attributes = convolution_attributes(call);
  attributes["output_padding"] = integers_of(call.attrs(), "output_pad");
  return call.node("ConvTranspose", convolution_inputs(call), std::move(attributes));
}

// Two matrices, one of them stored transposed: Gemm, one operator. Else MatMul behind Transpose, which rounds nothing.
std::string emit_matmul(OnnxCall& call) {
  const std::int64_t ta = call.attrs().integer("transpose_a"), tb = call.attrs().integer("transpose_b");
  const std::size_t rank_a = call.shape("a").size(), rank_b = call.shape("b").size();
  if (rank_a == 2 && rank_b == 2 && ta + tb > 0) {
    return call.node("Gemm", {call.in("a"), call.in("b")}, {{"transA", ta}, {"transB", tb}});
  }
  const std::string a = ta == 1 ? swapped(call, call.in("a"), rank_a) : call.in("a");
  const std::string b = tb == 1 ? swapped(call, call.in("b"), rank_b) : call.in("b");
  return call.node("MatMul", {a, b});
}

std::string emit_max_pool(OnnxCall& call) { return call.node("MaxPool", {call.in("x")}, pool_attributes(call)); }

std::string emit_average_pool(OnnxCall& call) {
  OnnxAttributes attributes = pool_attributes(call);
  attributes["count_include_pad"] = call.attrs().integer("count_include_pad");
  return call.node("AveragePool", {call.in("x")}, std::move(attributes));
}

}  // namespace fusecheck::exchange
