// Primitives that move elements, and the cast.
#include <algorithm>
#include <array>

#include "exchange/onnx_call.hpp"

namespace fusecheck::exchange {
namespace {

using Integers = std::vector<std::int64_t>;

std::int64_t from_front(const OnnxCall& call, const char* port) {
  const std::int64_t axis = call.attrs().integer("axis");
  return axis < 0 ? axis + static_cast<std::int64_t>(call.shape(port).size()) : axis;
}

std::string cut(OnnxCall& call, std::int64_t begin, std::int64_t end, std::int64_t step) {
  return call.node("Slice", {call.in("x"), call.integers({begin}), call.integers({end}),
                             call.integers({from_front(call, "x")}), call.integers({step})});
}

}  // namespace

std::string emit_concat(OnnxCall& call) {
  std::vector<std::string> parts;
  for (const char* port : {"x1", "x2", "x3", "x4"}) {
    if (call.given(port)) parts.push_back(call.in(port));
  }
  return call.node("Concat", std::move(parts), {{"axis", call.attrs().integer("axis")}});
}

// Negative numbers, and an end beyond the last element, mean the same in Slice.
std::string emit_slice(OnnxCall& call) {
  return cut(call, call.attrs().integer("begin"), call.attrs().integer("end"), call.attrs().integer("step"));
}

std::string emit_split(OnnxCall& call) {
  const std::int64_t whole = call.shape("x")[static_cast<std::size_t>(from_front(call, "x"))];
  const std::int64_t length = whole / call.attrs().integer("parts"), index = call.attrs().integer("index");
  return cut(call, index * length, (index + 1) * length, 1);
}

// Pad's numbers are those in front of every axis, then those behind every axis; fusecheck's speak of the last axes.
std::string emit_pad(OnnxCall& call) {
  const std::size_t rank = call.shape("x").size();
  Integers pads(2 * rank, 0);
  const auto fill = [&](const char* name, std::size_t end) {
    const Integers given = integers_of(call.attrs(), name);
    std::copy(given.rbegin(), given.rend(), pads.rbegin() + static_cast<std::ptrdiff_t>(2 * rank - end));
  };
  fill("before", rank);
  fill("after", 2 * rank);
  const std::string amounts = call.integers(pads);
  return call.node("Pad", {call.in("x"), amounts, call.number(call.attrs().number("value"))});
}

std::string emit_transpose(OnnxCall& call) {
  const auto rank = static_cast<std::int64_t>(call.shape("x").size());
  Integers order = integers_of(call.attrs(), "order");
  if (order == Integers{-1}) {
    order.clear();
    for (std::int64_t axis = rank; axis > 0; --axis) order.push_back(axis - 1);
  }
  return call.node("Transpose", {call.in("x")}, {{"perm", order}});
}

std::string emit_cast(OnnxCall& call) {
  constexpr std::array types = {DType::f16, DType::bf16, DType::f32};
  const DType to = types.at(static_cast<std::size_t>(call.attrs().integer("to")));
  call.gives(to);
  return call.node("Cast", {call.in("x")}, {{"to", onnx_type(to)}});
}

}  // namespace fusecheck::exchange
