// The emulating interpreter: every call in f32, bit for bit as the numeric model says.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/contraction.hpp"
#include "fusecheck/numeric_model.hpp"
#include "fusecheck/op.hpp"
#include "run/context.hpp"
#include "run/emulated.hpp"

namespace fusecheck::run {

// Emulated contractions already done on the same operands under the same model.
class EmulatedMemo {
 public:
  explicit EmulatedMemo(engine::Execution execution) : execution_(execution) {}
  Floats contract(const engine::Contraction& problem, const Floats& a, const Floats& b, const Floats& bias,
                  const NumericModel& model);
  const engine::Execution& execution() const { return execution_; }

 private:
  struct Record {
    engine::Contraction problem;
    Floats a, b, bias;
    NumericModel model;
    Floats result;
  };
  engine::Execution execution_;
  std::vector<Record> records_;
};

class EmulatedKernel final : public Kernel {
 public:
  EmulatedKernel(const Context& context, const Schedule& schedule, const NumericModel& model, EmulatedMemo& memo)
      : context_(context), schedule_(schedule), model_(model), memo_(memo) {}

  static Value load(const Shape& shape, std::vector<float> values) { return {shape, edge_of(std::move(values))}; }
  // The tensor must outlive what is made of it.
  static Value load(const Tensor& tensor) { return {tensor.shape(), edge_of(tensor)}; }
  static const std::vector<float>& floats(const Value& value) { return *values_of(edge(value)); }
  static Tensor tensor(const Value& value, DType dtype) { return tensor_of(edge(value), dtype, value.shape); }

  Value constant(double value) override;
  Value unary(Unary op, const Value& x) override;
  Value binary(Binary op, const Value& a, const Value& b) override;
  Value function(Function f, const Value& x) override;
  Value reshape(const Value& x, const Shape& shape) override;
  Value sum(const Value& x, const std::vector<int>& axes) override;
  Value maximum(const Value& x, const std::vector<int>& axes) override;
  Value first_maximum(const Value& x, const std::vector<int>& axes) override;
  Value pick(const Value& x, const Shape& shape, const Indices& from, double fill) override;
  Value join(const std::vector<Value>& parts, int axis) override;
  std::vector<std::int64_t> integers(const Value& x) override;
  Value conv2d(const Value& x, const Value& w, const Value& bias, const Conv2dAttrs& attrs) override;
  Value conv2d_data_gradient(const Value& dy, const Value& w, const Shape& x, const Conv2dAttrs& attrs) override;
  Value conv2d_weight_gradient(const Value& x, const Value& dy, const Shape& w, const Conv2dAttrs& attrs) override;
  Value round(std::string_view point, const Value& x) override;
  Value operand(std::string_view point, const Value& x) override;
  Value cast(DType dtype, const Value& x) override;
  Value store(std::string_view tensor, const Value& x) override;
  // What store() was given under that name.
  const Value& before(const std::string& tensor) const { return before_.at(tensor); }
  // What passed the named rounding points, and the type it has there.
  const std::map<std::string, std::pair<Value, DType>>& points() const { return points_; }
  Value either(const Value& usual, const Value& other) override;
  Value reread(const Value& stored, const Value& computed) override { return schedule_.recompute ? computed : stored; }

 private:
  static const Emulated& edge(const Value& value) { return *static_cast<const Emulated*>(value.data.get()); }
  Value elementwise(const Shape& shape, EmulatedStep step) const;
  Value pass_point(std::string_view point, const Value& x, std::optional<DType> fallback);
  Value contract(const engine::Contraction& problem, const Value& a, const Value& b, const Value& bias);
  Floats operand(const Value& x) const;  // as the model's matrix unit takes it
  Value rounded(DType dtype, const Value& x) const;
  Value finish(Shape shape, std::vector<float> values) const;  // flushes where the model flushes

  const Context& context_;
  const Schedule& schedule_;
  const NumericModel& model_;
  EmulatedMemo& memo_;
  std::map<std::string, Value> before_;
  std::map<std::string, std::pair<Value, DType>> points_;
};

}  // namespace fusecheck::run
