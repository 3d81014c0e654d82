// Kernels that compute in less precision than they declare: wrong by about one rounding of the storage type or less on
// most elements, so that no elementwise tolerance sees them.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "wrapping_kernel.hpp"

namespace fusecheck::testing {

// Partial sums over a quarter of k each, stored in f16 and added up in f32.
class HalfPartials final : public WrappingKernel {
 public:
  using WrappingKernel::WrappingKernel;

 protected:
  Value contract(const engine::Contraction& problem, const Value& a, const Value& b, const Value& bias) override {
    constexpr std::int64_t parts = 4;
    const std::vector<float> right = floats(b);
    const Shape shape = b.shape;
    const std::int64_t plane = shape[2] * shape[3];
    // Position in the sum of an element of the right operand: w and dy are walked in the order of their own axes.
    const auto k_of = [&](std::int64_t i) {
      const std::int64_t outer = i / (shape[1] * plane), middle = i / plane % shape[1], inner = i % plane;
      const bool over_outer = problem.direction != engine::Direction::forward;
      return (over_outer ? outer : middle) * plane + inner;
    };
    const std::int64_t terms = problem.terms(), chunk = (terms + parts - 1) / parts;
    std::vector<float> total;
    for (std::int64_t part = 0; part < parts; ++part) {
      std::vector<float> some(right.size(), 0.0F);
      for (std::size_t i = 0; i < some.size(); ++i) {
        if (k_of(static_cast<std::int64_t>(i)) / chunk == part) some[i] = right[i];
      }
      std::vector<float> partial = engine::contract(
          problem, floats(a), some, part == 0 ? floats(bias) : std::vector<float>{}, engine::Arithmetic{}, {});
      round_to(DType::f16, std::span<const float>(partial), partial);
      if (total.empty()) total.assign(partial.size(), 0.0F);
      for (std::size_t i = 0; i < total.size(); ++i) total[i] += partial[i];
    }
    return load(problem.output_shape(), std::move(total));
  }
};

// s = gamma·rstd rounded to f16 in front of W·s (a per-filter factor is what has the shape [oc,1,1,1]).
class HalfScale final : public WrappingKernel {
 public:
  using WrappingKernel::WrappingKernel;
  Value reshape(const Value& x, const Shape& shape) override {
    if (shape.size() != 4 || element_count(shape) != shape[0]) return WrappingKernel::reshape(x, shape);
    std::vector<float> s = floats(x);
    round_to(DType::f16, std::span<const float>(s), s);
    return load(shape, std::move(s));
  }
};

// Every output cut toward zero where it is stored.
inline Tensors truncate_on_store(const Case& of, const run::Schedule& schedule) {
  Case wide = of;
  for (const std::string& name : of.context.output_names()) wide.context.dtypes[name] = DType::f32;
  Tensors outputs = emulate(wide, schedule, of.inputs);
  RoundingRule cut;
  cut.direction = Rounding::toward_zero;
  for (auto& [name, tensor] : outputs) {
    std::vector<double> values = tensor.doubles();
    round_to(of.context.dtype_of(name), std::span<const double>(values), values, cut);
    tensor = Tensor::from(of.context.dtype_of(name), tensor.shape(), std::span<const double>(values));
  }
  return outputs;
}

// Ten stored fraction bits, to nearest even: 13 of f32's 23 are dropped.
inline double to_tf32(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  const std::uint32_t odd = bits >> 13 & 1;
  return static_cast<double>(std::bit_cast<float>((bits + 0xfff + odd) & ~0x1fffU));
}
inline double to_bf16(double value) { return round_to(DType::bf16, value); }

// The operands of every contraction through `format` first.
inline Tensors rounded_operands(const Case& of, double (*format)(double)) {
  Tensors inputs = of.inputs;
  for (const char* name : {"x", "w", "dy"}) {
    std::vector<double> values = inputs.at(name).doubles();
    for (double& value : values) value = format(value);
    inputs[name] = Tensor::from(DType::f32, inputs.at(name).shape(), std::span<const double>(values));
  }
  return inputs;
}

// Channels below half of them from one kernel, the others from another.
inline Tensor halves(const Tensor& first, const Tensor& second) {
  std::vector<double> values = first.doubles();
  const std::int64_t channels = first.shape()[1], plane = first.shape()[2] * first.shape()[3];
  for (std::int64_t i = 0; i < first.size(); ++i) {
    if (i / plane % channels >= channels / 2) values[static_cast<std::size_t>(i)] = second.at(i);
  }
  return Tensor::from(first.dtype(), first.shape(), std::span<const double>(values));
}

}  // namespace fusecheck::testing
