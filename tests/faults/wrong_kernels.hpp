// Kernels that compute something else: the mistakes that fused kernels are reported with, each made by our emulator
// from changed inputs or attributes, from another op, or by changing what was written.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "case.hpp"

namespace fusecheck::testing {

using WrongKernel = std::function<Tensors(const Case&)>;
using Values = std::vector<double>;

inline run::Schedule default_schedule(const run::Context& context) { return run::find_schedule(context, "", {}); }

inline Tensors outputs_of(const run::Context& context, const Tensors& inputs) {
  run::EmulatedMemo memo(engine::Execution{});
  return run::run_emulated(context, default_schedule(context), inputs, {}, memo).outputs;
}
inline Tensors right(const Case& of) { return outputs_of(of.context, of.inputs); }

// A tensor of other values in f32, which the emulator takes as they are.
inline Tensor with_values(const Tensor& like, const Values& values) {
  return Tensor::from(DType::f32, like.shape(), std::span<const double>(values));
}
inline Tensor stored(const Tensor& like, const Values& values) {
  return Tensor::from(like.dtype(), like.shape(), std::span<const double>(values));
}

// value(element) for each element of the input.
inline WrongKernel with_input(const std::string& name, std::function<double(const Case&, std::int64_t)> value) {
  return [=](const Case& of) {
    Tensors inputs = of.inputs;
    Values values(static_cast<std::size_t>(inputs.at(name).size()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = value(of, static_cast<std::int64_t>(i));
    inputs[name] = with_values(inputs.at(name), values);
    return outputs_of(of.context, inputs);
  };
}

// The kernel reads another attribute; outputs of another size are cut, or filled with zeros, at the end of each axis.
inline WrongKernel with_attr(const std::string& name, const Values& value) {
  return [=](const Case& of) {
    CaseSpec spec = of.spec;
    spec.attrs.set(name, value);
    spec.passes = Passes::forward;
    const run::Context context = run::make_context(spec);
    Tensors inputs = of.inputs;
    for (const auto& [input, tensor] : of.inputs) {
      if (input == "residual") inputs[input] = Tensor(tensor.dtype(), context.shapes.at(input));
    }
    const Tensor y = outputs_of(context, inputs).at("y");
    const Shape& shape = of.context.shapes.at("y");
    Values values(static_cast<std::size_t>(element_count(shape)), 0);
    for (std::int64_t i = 0; i < element_count(shape); ++i) {
      std::int64_t from = 0;
      bool inside = true;
      const std::vector<std::int64_t> index = index_of(i, shape);
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        inside = inside && index[axis] < y.shape()[axis];
        from = from * y.shape()[axis] + index[axis];
      }
      if (inside) values[static_cast<std::size_t>(i)] = y.at(from);
    }
    return Tensors{{"y", Tensor::from(y.dtype(), shape, std::span<const double>(values))}};
  };
}

// An attribute that changes no shape.
inline WrongKernel with_number(const std::string& name, double value) {
  return [=](const Case& of) {
    run::Context context = of.context;
    context.attrs.set(name, {value});
    return outputs_of(context, of.inputs);
  };
}

// The right kernel, whose output is changed after the fact.
inline WrongKernel written(const std::string& output,
                           std::function<double(const Tensors&, const Shape&, std::int64_t)> value) {
  return [=](const Case& of) {
    Tensors outputs = right(of);
    const Tensor& was = outputs.at(output);
    Values values(static_cast<std::size_t>(was.size()));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = value(outputs, was.shape(), static_cast<std::int64_t>(i));
    outputs[output] = stored(was, values);
    return outputs;
  };
}

// Another op's kernel on the same inputs.
inline WrongKernel of_op(const std::string& op) {
  return [=](const Case& of) {
    CaseSpec spec = of.spec;
    spec.op = op;
    const run::Context context = run::make_context(spec);
    Tensors inputs;
    for (const Port& port : context.interface.inputs) inputs[port.name] = of.inputs.at(port.name);
    inputs["dy"] = of.inputs.at("dy");
    return outputs_of(context, inputs);
  };
}

// Index of element i along one axis.
inline std::int64_t along(const Shape& shape, std::size_t axis, std::int64_t i) { return index_of(i, shape).at(axis); }

// s = gamma/sqrt(var + eps) of one channel.
inline double scale_of(const Case& of, std::int64_t c) {
  const double eps = of.context.attrs.number("eps");
  return of.inputs.at("gamma").at(c) / std::sqrt(of.inputs.at("var").at(c) + eps);
}

// What a training kernel's backward starts from, in f64: the stored convolution's statistics and the sums over dz = dy
// (an op without relu).
struct TrainingBackward {
  Shape shape;                         // of the convolution
  Values xhat, mean_term, projection;  // dconv = scale·(dy - mean_term - projection)
  Values scale;                        // per channel
};

inline TrainingBackward training_backward(const Case& of) {
  run::EmulatedMemo memo(engine::Execution{});
  const run::EmulatedRun run = run::run_emulated(of.context, default_schedule(of.context), of.inputs, {}, memo);
  const Tensor& conv = run.saved.at("conv");
  const Tensor& dy = of.inputs.at("dy");
  TrainingBackward b;
  b.shape = conv.shape();
  const std::int64_t channels = b.shape[1];
  const double n = static_cast<double>(conv.size() / channels);
  Values dbeta(static_cast<std::size_t>(channels), 0), dgamma = dbeta;
  for (std::int64_t i = 0; i < conv.size(); ++i) {
    const std::int64_t c = along(b.shape, 1, i);
    b.xhat.push_back((conv.at(i) - run.saved.at("saved_mean").at(c)) * run.saved.at("saved_rstd").at(c));
    dbeta[static_cast<std::size_t>(c)] += dy.at(i);
    dgamma[static_cast<std::size_t>(c)] += dy.at(i) * b.xhat.back();
  }
  for (std::int64_t i = 0; i < conv.size(); ++i) {
    const auto c = static_cast<std::size_t>(along(b.shape, 1, i));
    b.mean_term.push_back(dbeta[c] / n);
    b.projection.push_back(b.xhat[static_cast<std::size_t>(i)] * dgamma[c] / n);
  }
  for (std::int64_t c = 0; c < channels; ++c) {
    b.scale.push_back(of.inputs.at("gamma").at(c) * run.saved.at("saved_rstd").at(c));
  }
  return b;
}

// dx and dw of a training kernel that weighs the two correcting terms so; (1, 1) is right.
inline WrongKernel training_gradient(double mean_weight, double projection_weight) {
  return [=](const Case& of) {
    const TrainingBackward b = training_backward(of);
    Values dconv;
    for (std::size_t i = 0; i < b.xhat.size(); ++i) {
      const auto c = static_cast<std::size_t>(along(b.shape, 1, static_cast<std::int64_t>(i)));
      dconv.push_back(b.scale[c] * (of.inputs.at("dy").at(static_cast<std::int64_t>(i)) - mean_weight * b.mean_term[i] -
                                    projection_weight * b.projection[i]));
    }
    CaseSpec spec;
    spec.op = "conv2d";
    spec.dtype = of.spec.dtype;
    spec.shapes["x"] = of.inputs.at("x").shape();
    for (const auto& [name, value] : of.context.attrs.all()) {
      if (name != "bn" && name != "eps" && name != "momentum") spec.attrs.set(name, value);
    }
    const run::Context context = run::make_context(spec);
    const Tensors gradients = outputs_of(
        context, {{"x", of.inputs.at("x")}, {"w", of.inputs.at("w")}, {"dy", stored(of.inputs.at("dy"), dconv)}});
    Tensors outputs = right(of);
    outputs["dx"] = gradients.at("dx");
    outputs["dw"] = gradients.at("dw");
    return outputs;
  };
}

}  // namespace fusecheck::testing
