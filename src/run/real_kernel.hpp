// The f64 interpreter: truth, and the interval in which every legal kernel of a schedule stays (NUMERICS.md J2, J4).
#pragma once

#include "fusecheck/numeric_model.hpp"
#include "fusecheck/op.hpp"
#include "run/chain.hpp"
#include "run/context.hpp"
#include "run/memo.hpp"
#include "run/real.hpp"
#include "run/real_arithmetic.hpp"
#include "run/real_sums.hpp"

namespace fusecheck::run {

class RealKernel final : public Kernel {
 public:
  RealKernel(const Context& context, const Schedule& schedule, const TruthOptions& options, Memo& memo)
      : context_(context), schedule_(schedule), options_(options), memo_(memo) {}

  Value load(const Shape& shape, std::vector<double> values) const;
  static const Real& real(const Value& value) { return settled(*static_cast<const Real*>(value.data.get())); }
  // Its values alone: cheaper where nobody asks for the intervals.
  static Doubles values(const Value& value) { return values_of(*static_cast<const Real*>(value.data.get())); }
  static void look(const Value& value, const Look& look) { look_at(*static_cast<const Real*>(value.data.get()), look); }

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
  Value either(const Value& usual, const Value& other) override;
  Value reread(const Value& stored, const Value& computed) override { return schedule_.recompute ? computed : stored; }

 private:
  Value contract(const engine::Contraction& problem, const Value& a, const Value& b, const Value& bias);
  Value result(const Shape& shape, Real real) const;  // of one operation
  Value rounded(DType dtype, const Value& x, bool keep_before = false) const;
  // Whether a step with a result of this shape may wait for those after it.
  bool waits(const Shape& shape) const;
  Value later(const Shape& shape, Step step, const Value& a, const Value& b = {}) const;
  ArithmeticOptions arithmetic() const;

  const Context& context_;
  const Schedule& schedule_;
  TruthOptions options_;
  Memo& memo_;
};

}  // namespace fusecheck::run
