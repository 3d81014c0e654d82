// The shape-only interpreter: what a kernel reads, writes, rounds and sums, in order.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fusecheck/op.hpp"
#include "graph/evaluate.hpp"
#include "run/context.hpp"

namespace fusecheck::run {

// A quotient is a division or a square root.
struct Event {
  enum class Kind : std::uint8_t { read, write, round, operand, sum, quotient };
  Kind kind;
  std::string name;
  std::int64_t terms = 0;
};

// A value carries the name of the tensor in memory that it is; "" for one on the chip.
class TraceKernel : public Kernel {
 public:
  static Value in_memory(const Shape& shape, std::string name) {
    return {shape, std::make_shared<const std::string>(std::move(name))};
  }
  const std::vector<Event>& events() const { return events_; }

  Value constant(double) override { return on_chip({}); }
  Value unary(Unary op, const Value& x) override {
    if (op == Unary::square_root) add_quotient();
    return on_chip(read(x));
  }
  Value binary(Binary op, const Value& a, const Value& b) override {
    if (op == Binary::divide) add_quotient();
    return on_chip(broadcast_shape(read(a), read(b)));
  }
  Value function(Function, const Value& x) override { return on_chip(read(x)); }
  Value reshape(const Value& x, const Shape& shape) override { return {shape, x.data}; }
  Value sum(const Value& x, const std::vector<int>& axes) override {
    Shape shape = read(x);
    std::int64_t terms = 1;
    for (const int axis : axes) {
      terms *= shape[static_cast<std::size_t>(axis)];
      shape[static_cast<std::size_t>(axis)] = 1;
    }
    add_sum("sum", terms);
    return on_chip(shape);
  }
  Value maximum(const Value& x, const std::vector<int>& axes) override {
    Shape shape = read(x);
    for (const int axis : axes) shape[static_cast<std::size_t>(axis)] = 1;
    return on_chip(shape);
  }
  Value first_maximum(const Value& x, const std::vector<int>&) override { return on_chip(read(x)); }
  Value pick(const Value& x, const Shape& shape, const Indices&, double) override {
    read(x);
    return on_chip(shape);
  }
  Value join(const std::vector<Value>& parts, int axis) override {
    Shape shape = parts.front().shape;
    shape[static_cast<std::size_t>(axis)] = 0;
    for (const Value& part : parts) shape[static_cast<std::size_t>(axis)] += read(part)[static_cast<std::size_t>(axis)];
    return on_chip(shape);
  }
  // Shapes alone say nothing of positions: any valid ones do.
  std::vector<std::int64_t> integers(const Value& x) override {
    return std::vector<std::int64_t>(static_cast<std::size_t>(element_count(read(x))), 0);
  }
  Value conv2d(const Value& x, const Value& w, const Value& bias, const Conv2dAttrs& a) override {
    const Shape& in = read(x);
    const Shape& filter = read(w);
    if (bias) read(bias);
    add_sum("convolution", filter[1] * filter[2] * filter[3]);
    const std::int64_t h = (in[2] + a.pad_top + a.pad_bottom - a.dilation_h * (filter[2] - 1) - 1) / a.stride_h + 1;
    const std::int64_t w_out = (in[3] + a.pad_left + a.pad_right - a.dilation_w * (filter[3] - 1) - 1) / a.stride_w + 1;
    return on_chip({in[0], filter[0], h, w_out});
  }
  Value conv2d_data_gradient(const Value& dy, const Value& w, const Shape& x, const Conv2dAttrs& a) override {
    read(dy);
    const Shape& filter = read(w);
    add_sum("convolution, gradient of the data", filter[0] / a.groups * filter[2] * filter[3]);
    return on_chip(x);
  }
  Value conv2d_weight_gradient(const Value& x, const Value& dy, const Shape& w, const Conv2dAttrs&) override {
    read(x);
    const Shape& out = read(dy);
    add_sum("convolution, gradient of the weights", out[0] * out[2] * out[3]);
    return on_chip(w);
  }
  Value round(std::string_view point, const Value& x) override { return pass(Event::Kind::round, point, x); }
  Value operand(std::string_view point, const Value& x) override { return pass(Event::Kind::operand, point, x); }
  Value cast(DType, const Value& x) override { return on_chip(read(x)); }
  Value store(std::string_view tensor, const Value& x) override {
    events_.push_back({Event::Kind::write, std::string(tensor)});
    return in_memory(read(x), std::string(tensor));
  }
  Value either(const Value& usual, const Value&) override { return usual; }

 private:
  static Value on_chip(Shape shape) { return {std::move(shape), std::make_shared<const std::string>()}; }
  const Shape& read(const Value& x) {
    const auto& name = *static_cast<const std::string*>(x.data.get());
    if (!name.empty()) events_.push_back({Event::Kind::read, name});
    return x.shape;
  }
  void add_sum(std::string what, std::int64_t terms) { events_.push_back({Event::Kind::sum, std::move(what), terms}); }
  void add_quotient() { events_.push_back({Event::Kind::quotient, ""}); }
  Value pass(Event::Kind kind, std::string_view point, const Value& x) {
    events_.push_back({kind, std::string(point)});
    return x;
  }

  std::vector<Event> events_;
};

// The case with every input in memory, both passes.
graph::Request traced_request(const Context& context);

// One run of a recipe, or of the body where it is null.
std::vector<Event> trace(const graph::Request& request, const Recipe* recipe);

}  // namespace fusecheck::run
