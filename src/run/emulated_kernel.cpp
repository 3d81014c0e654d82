#include "run/emulated_kernel.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "engine/simd.hpp"
#include "numeric/operand.hpp"
#include "numeric/sums.hpp"
#include "run/blocks.hpp"
#include "run/layout_ops.hpp"
#include "run/real.hpp"
#include "run/real_kernel.hpp"

namespace fusecheck::run {
namespace {

bool same(const Floats& a, const Floats& b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr || a->size() != b->size()) return false;
  return std::memcmp(a->data(), b->data(), a->size() * sizeof(float)) == 0;
}

EmulatedEdge edge_in(const Value& value) { return std::static_pointer_cast<const Emulated>(value.data); }

Floats shared(const Value& value) { return value ? values_of(*edge_in(value)) : nullptr; }

std::span<const float> view(const Floats& values) {
  return values == nullptr ? std::span<const float>{} : std::span<const float>(*values);
}

}  // namespace

Floats EmulatedMemo::contract(const engine::Contraction& problem, const Floats& a, const Floats& b, const Floats& bias,
                              const NumericModel& model) {
  for (const Record& record : records_) {
    if (record.problem == problem && record.model == model && same(record.a, a) && same(record.b, b) &&
        same(record.bias, bias)) {
      return record.result;
    }
  }
  auto result = std::make_shared<const std::vector<float>>(
      engine::contract(problem, view(a), view(b), view(bias), engine::Arithmetic::of(model), execution_));
  records_.push_back({problem, a, b, bias, model, result});
  return result;
}

Value EmulatedKernel::finish(Shape shape, std::vector<float> values) const {
  if (model_.flush_subnormals) {
    for (float& value : values) {
      if (std::fabs(value) < 0x1p-126F) value = std::copysign(0.0F, value);
    }
  }
  return load(shape, std::move(values));
}

Value EmulatedKernel::constant(double value) { return load({}, {static_cast<float>(round_to(DType::f32, value))}); }

Value EmulatedKernel::elementwise(const Shape& shape, EmulatedStep step) const {
  step.simd = memo_.execution().simd;
  step.size = element_count(shape);
  return {shape, edge_of(std::move(step))};
}

Value EmulatedKernel::unary(Unary op, const Value& x) {
  return elementwise(
      x.shape,
      {.kind = EmulatedStepKind::unary, .unary = op, .flush_subnormals = model_.flush_subnormals, .a = edge_in(x)});
}

Value EmulatedKernel::binary(Binary op, const Value& a, const Value& b) {
  const Shape shape = broadcast_shape(a.shape, b.shape);
  const Blocks blocks = blocks_of(a.shape, b.shape, shape);
  if (op == Binary::maximum || op == Binary::minimum) {
    std::vector<float> out(static_cast<std::size_t>(element_count(shape)));
    const std::vector<float>&x = floats(a), &y = floats(b);
    for_each_pair(blocks, [&](std::size_t p, std::size_t q, std::size_t at) {
      const float left = x[p], right = y[q];
      out[at] = op == Binary::maximum ? larger(left, right) : smaller(left, right);
    });
    return finish(shape, std::move(out));
  }
  return elementwise(shape, {.kind = EmulatedStepKind::arithmetic,
                             .operation = operation_of(op, true),
                             .blocks = blocks,
                             .flush_subnormals = model_.flush_subnormals,
                             .a = edge_in(a),
                             .b = edge_in(b)});
}

Value EmulatedKernel::function(Function f, const Value& x) {
  const std::vector<double> in(floats(x).begin(), floats(x).end());
  std::vector<double> out(in.size());
  correctly_rounded(f, DType::f32, in, out);
  return finish(x.shape, std::vector<float>(out.begin(), out.end()));
}

Value EmulatedKernel::maximum(const Value& x, const std::vector<int>& axes) {
  const SumLayout layout = sum_layout(x.shape, axes);
  return load(layout.shape, largest(floats(x), layout));
}

Value EmulatedKernel::first_maximum(const Value& x, const std::vector<int>& axes) {
  return load(x.shape, first_largest(floats(x), sum_layout(x.shape, axes)));
}

Value EmulatedKernel::pick(const Value& x, const Shape& shape, const Indices& from, double fill) {
  return load(shape, picked(floats(x), *from, static_cast<float>(fill)));
}

Value EmulatedKernel::join(const std::vector<Value>& parts, int axis) {
  std::vector<Shape> shapes;
  std::vector<const std::vector<float>*> values;
  for (const Value& part : parts) {
    shapes.push_back(part.shape);
    values.push_back(&floats(part));
  }
  return load(joined_shape(shapes, axis), joined(values, shapes, axis));
}

std::vector<std::int64_t> EmulatedKernel::integers(const Value& x) { return whole_numbers(floats(x)); }

Value EmulatedKernel::cast(DType dtype, const Value& x) { return rounded(dtype, x); }

Value EmulatedKernel::reshape(const Value& x, const Shape& shape) { return {shape, x.data}; }

// Reductions run on vector units: a matrix unit's order is that of its contractions only.
Value EmulatedKernel::sum(const Value& x, const std::vector<int>& axes) {
  const SumLayout layout = sum_layout(x.shape, axes);
  const std::vector<float>& in = floats(x);
  const SumOrder order = model_.sum.kind == SumKind::matrix_unit ? SumOrder{} : model_.sum;
  std::vector<float> terms(static_cast<std::size_t>(layout.terms));
  std::vector<float> totals(static_cast<std::size_t>(layout.groups));
  for (std::size_t group = 0; group < totals.size(); ++group) {
    const float* base = in.data() + layout.group_base[group];
    for (std::size_t i = 0; i < terms.size(); ++i) terms[i] = base[layout.term_offset[i]];
    totals[group] = numeric::sum(terms, order, model_.accumulate);
  }
  return finish(layout.shape, std::move(totals));
}

Floats EmulatedKernel::operand(const Value& x) const {
  Floats values = shared(x);
  if (model_.operand_bits == 0 || !schedule_.roundings) return values;
  auto rounded = std::make_shared<std::vector<float>>(*values);
  for (float& value : *rounded)
    value = static_cast<float>(numeric::rounded_operand(static_cast<double>(value), model_.operand_bits));
  return rounded;
}

Value EmulatedKernel::contract(const engine::Contraction& problem, const Value& a, const Value& b, const Value& bias) {
  const Floats result = memo_.contract(problem, operand(a), operand(b), shared(bias), model_);
  if (model_.flush_subnormals) return finish(problem.output_shape(), *result);
  return {problem.output_shape(), std::make_shared<const Emulated>(Emulated{.values = result})};
}

Value EmulatedKernel::conv2d(const Value& x, const Value& w, const Value& bias, const Conv2dAttrs& attrs) {
  return contract({engine::Direction::forward, geometry_of(x.shape, w.shape, attrs)}, x, w, bias);
}

Value EmulatedKernel::conv2d_data_gradient(const Value& dy, const Value& w, const Shape& x, const Conv2dAttrs& attrs) {
  return contract({engine::Direction::data_gradient, geometry_of(x, w.shape, attrs)}, dy, w, {});
}

Value EmulatedKernel::conv2d_weight_gradient(const Value& x, const Value& dy, const Shape& w,
                                             const Conv2dAttrs& attrs) {
  return contract({engine::Direction::weight_gradient, geometry_of(x.shape, w, attrs)}, x, dy, {});
}

Value EmulatedKernel::rounded(DType dtype, const Value& x) const {
  if (!schedule_.roundings || (dtype == DType::f32 && model_.store == RoundingRule{})) return x;
  return elementwise(x.shape, {.kind = EmulatedStepKind::round, .dtype = dtype, .rule = model_.store, .a = edge_in(x)});
}

Value EmulatedKernel::pass_point(std::string_view point, const Value& x, std::optional<DType> fallback) {
  const auto rule = schedule_.points.find(point);
  const std::optional<DType> dtype = rule != schedule_.points.end() ? rule->second : fallback;
  const Value result = dtype ? rounded(*dtype, x) : x;
  points_[std::string(point)] = {result, dtype.value_or(DType::f32)};
  return result;
}

Value EmulatedKernel::round(std::string_view point, const Value& x) {
  return pass_point(point, x, schedule_.store_edges ? std::optional(context_.dtype) : std::nullopt);
}

Value EmulatedKernel::operand(std::string_view point, const Value& x) { return pass_point(point, x, context_.dtype); }

Value EmulatedKernel::store(std::string_view tensor, const Value& x) {
  before_[std::string(tensor)] = x;
  return rounded(context_.dtype_of(tensor), x);
}

Value EmulatedKernel::either(const Value& usual, const Value&) { return usual; }

}  // namespace fusecheck::run
