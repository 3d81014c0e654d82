// Runs one op on numbers that a test writes down, the way a worked example reads:
//
//   const OpExample example = {.op = "relu", .shapes = {{"x", {3}}}, .inputs = {{"x", {-1, 0, 2}}, {"dy", {3, 3, 3}}}};
//   expect_outputs(example, {{"y", {0, 0, 2}}, {"dx", {0, 0, 3}}});
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "run/run.hpp"

namespace fusecheck::testing {

using Numbers = std::map<std::string, std::vector<double>, std::less<>>;

struct OpExample {
  std::string op;
  Shapes shapes;  // of the first input, and of what attributes do not settle
  std::map<std::string, std::vector<double>> attrs;
  Numbers inputs;  // all of them, and dy
  DType dtype = DType::f32;
};

inline run::Context context_of(const OpExample& example) {
  CaseSpec spec;
  spec.op = example.op;
  spec.dtype = example.dtype;
  spec.shapes = example.shapes;
  for (const auto& [name, value] : example.attrs) spec.attrs.set(name, value);
  spec.bias = example.inputs.contains("b") || example.inputs.contains("b1");
  return run::make_context(spec);
}

inline Tensors tensors_of(const OpExample& example, const run::Context& context) {
  Tensors tensors;
  for (const auto& [name, values] : example.inputs) {
    const std::string tensor = name == "dy" ? "d" + context.interface.first_output : name;
    tensors[tensor] =
        Tensor::from(context.dtype_of(tensor), context.shapes.at(tensor), std::span<const double>(values));
  }
  return tensors;
}

// The inputs that a check draws for the case of this line.
inline Tensors drawn(const std::string& line, DataSet set) {
  const CaseSpec spec = parse_case(line);
  return run::draw_inputs(run::make_context(spec), set, spec.seed, spec.dy_ones, {});
}

// Outputs, gradients and saved tensors of the body in f64, nothing rounded.
inline Numbers body_outputs(const OpExample& example) {
  run::Memo memo({});
  const run::Context context = context_of(example);
  Numbers inputs = example.inputs;
  if (auto dy = inputs.extract("dy"); !dy.empty()) {
    dy.key() = "d" + context.interface.first_output;
    inputs.insert(std::move(dy));
  }
  return run::run_body(context, inputs, memo, true);
}

// The same of one schedule ("epilogue", "unfused" ...) on the emulated device, each stored in its own type.
inline Numbers emulated_outputs(const OpExample& example, const std::string& schedule = "unfused") {
  const run::Context context = context_of(example);
  run::EmulatedMemo memo({});
  const run::EmulatedRun run = run::run_emulated(context, run::find_schedule(context, schedule, {}),
                                                 tensors_of(example, context), NumericModel{}, memo);
  Numbers outputs;
  for (const Tensors* tensors : {&run.outputs, &run.saved}) {
    for (const auto& [name, tensor] : *tensors) outputs[name] = tensor.doubles();
  }
  return outputs;
}

// Element by element; NaN equals NaN, and +0 equals -0.
inline void expect_equal(const Numbers& actual, const Numbers& expected, const std::string& what) {
  for (const auto& [name, values] : expected) {
    const auto found = actual.find(name);
    if (found == actual.end()) {
      ADD_FAILURE() << what << ": there is no " << name;
      continue;
    }
    ASSERT_EQ(found->second.size(), values.size()) << what << ": " << name;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool both_nan = std::isnan(found->second[i]) && std::isnan(values[i]);
      EXPECT_TRUE(both_nan || found->second[i] == values[i])
          << what << ": " << name << "[" << i << "] is " << found->second[i] << ", expected " << values[i];
    }
  }
}

// The body, and every recipe (lossy ones and `unfused` too) in every type, give exactly these numbers. That holds for
// examples of small integers and powers of two, in which no operation has to round.
inline void expect_outputs(OpExample example, const Numbers& expected) {
  expect_equal(body_outputs(example), expected, example.op + ", body");
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32}) {
    example.dtype = dtype;
    for (const run::Schedule& schedule : run::schedules_of(context_of(example), true)) {
      const std::string what = example.op + ", " + schedule.name + ", " + std::string(name_of(dtype));
      expect_equal(emulated_outputs(example, schedule.name), expected, what);
    }
  }
}

}  // namespace fusecheck::testing
