// Kernels that differ from the emulator's in single calls: accumulation in f64, and what faulty kernels do.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "case.hpp"
#include "graph/evaluate.hpp"
#include "run/emulated_kernel.hpp"
#include "run/real.hpp"
#include "run/real_kernel.hpp"

namespace fusecheck::testing {

// Passes every call on.
class WrappingKernel : public Kernel {
 public:
  explicit WrappingKernel(run::EmulatedKernel& base) : base_(base) {}
  Value constant(double value) override { return base_.constant(value); }
  Value unary(Unary op, const Value& x) override { return base_.unary(op, x); }
  Value binary(Binary op, const Value& a, const Value& b) override { return base_.binary(op, a, b); }
  Value function(Function f, const Value& x) override { return base_.function(f, x); }
  Value reshape(const Value& x, const Shape& shape) override { return base_.reshape(x, shape); }
  Value sum(const Value& x, const std::vector<int>& axes) override { return base_.sum(x, axes); }
  Value maximum(const Value& x, const std::vector<int>& axes) override { return base_.maximum(x, axes); }
  Value first_maximum(const Value& x, const std::vector<int>& axes) override { return base_.first_maximum(x, axes); }
  Value pick(const Value& x, const Shape& shape, const Indices& from, double fill) override {
    return base_.pick(x, shape, from, fill);
  }
  Value join(const std::vector<Value>& parts, int axis) override { return base_.join(parts, axis); }
  std::vector<std::int64_t> integers(const Value& x) override { return base_.integers(x); }
  Value conv2d(const Value& x, const Value& w, const Value& bias, const Conv2dAttrs& attrs) override {
    return contract({engine::Direction::forward, run::geometry_of(x.shape, w.shape, attrs)}, x, w, bias);
  }
  Value conv2d_data_gradient(const Value& dy, const Value& w, const Shape& x, const Conv2dAttrs& attrs) override {
    return contract({engine::Direction::data_gradient, run::geometry_of(x, w.shape, attrs)}, dy, w, {});
  }
  Value conv2d_weight_gradient(const Value& x, const Value& dy, const Shape& w, const Conv2dAttrs& attrs) override {
    return contract({engine::Direction::weight_gradient, run::geometry_of(x.shape, w, attrs)}, x, dy, {});
  }
  Value round(std::string_view point, const Value& x) override { return base_.round(point, x); }
  Value operand(std::string_view point, const Value& x) override { return base_.operand(point, x); }
  Value cast(DType dtype, const Value& x) override { return base_.cast(dtype, x); }
  Value store(std::string_view tensor, const Value& x) override { return base_.store(tensor, x); }
  Value either(const Value& usual, const Value& other) override { return base_.either(usual, other); }
  Value reread(const Value& stored, const Value& computed) override { return base_.reread(stored, computed); }

 protected:
  virtual Value contract(const engine::Contraction& problem, const Value& a, const Value& b, const Value& bias) {
    return load(problem.output_shape(),
                engine::contract(problem, floats(a), floats(b), floats(bias), engine::Arithmetic{}, {}));
  }
  static std::vector<float> floats(const Value& value) {
    return value ? run::EmulatedKernel::floats(value) : std::vector<float>{};
  }
  Value load(const Shape& shape, std::vector<float> values) const { return base_.load(shape, std::move(values)); }

 private:
  run::EmulatedKernel& base_;
};

// Sums in f64, rounded to f32 once; everything else in f32.
class DoubleAccumulation final : public WrappingKernel {
 public:
  using WrappingKernel::WrappingKernel;
  Value sum(const Value& x, const std::vector<int>& axes) override {
    const run::SumLayout layout = run::sum_layout(x.shape, axes);
    const std::vector<float> in = floats(x);
    std::vector<float> totals;
    for (const std::int64_t base : layout.group_base) {
      double total = 0;
      for (const std::int64_t offset : layout.term_offset) {
        total += static_cast<double>(in[static_cast<std::size_t>(base + offset)]);
      }
      totals.push_back(static_cast<float>(total));
    }
    return load(layout.shape, std::move(totals));
  }

 protected:
  Value contract(const engine::Contraction& problem, const Value& a, const Value& b, const Value& bias) override {
    const auto wide = [](const std::vector<float>& values) {
      return std::vector<double>(values.begin(), values.end());
    };
    const std::vector<double> sums =
        engine::contract_f64(problem, wide(floats(a)), wide(floats(b)), wide(floats(bias)), {});
    std::vector<float> rounded(sums.size());
    std::transform(sums.begin(), sums.end(), rounded.begin(), [](double value) { return static_cast<float>(value); });
    return load(problem.output_shape(), std::move(rounded));
  }
};

// Runs one schedule on a kernel that wraps the emulator's.
template <class Wrapper>
Tensors run_wrapped(const Case& of, const run::Schedule& schedule) {
  run::EmulatedMemo memo(engine::Execution{});
  const NumericModel model;
  run::EmulatedKernel base(of.context, schedule, model, memo);
  Wrapper kernel(base);
  graph::Request request;
  request.op = of.context.op;
  request.attrs = &of.context.attrs;
  request.backward = of.context.backward;
  for (const auto& [name, tensor] : of.inputs) request.inputs[name] = base.load(tensor.shape(), tensor.floats());
  const graph::Evaluation evaluation = graph::run(kernel, schedule.recipe, request);
  Tensors outputs;
  for (const auto& [name, value] : evaluation.outputs) {
    outputs[name] = Tensor::from(of.context.dtype_of(name), value.shape,
                                 std::span<const float>(run::EmulatedKernel::floats(value)));
  }
  return outputs;
}

}  // namespace fusecheck::testing
