#include "run/real_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fusecheck/error.hpp"
#include "numeric/operand.hpp"
#include "run/certify.hpp"
#include "run/layout_ops.hpp"
#include "run/real_arithmetic.hpp"
#include "run/real_function.hpp"
#include "run/real_layout.hpp"
#include "run/real_sums.hpp"

namespace fusecheck::run {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Value wrap(Shape shape, Real real) { return {std::move(shape), std::make_shared<const Real>(std::move(real))}; }

// A model that flushes makes 0 of a subnormal f32 result; a kernel that fuses the operation may keep it.
Real with_flushed(Real x) {
  std::vector<double> low = x.lows();
  std::vector<double> high = x.highs();
  bool any = false;
  for (std::size_t i = 0; i < low.size(); ++i) {
    const bool below = low[i] > 0 && low[i] < 0x1p-126;
    const bool above = high[i] < 0 && high[i] > -0x1p-126;
    if (below) low[i] = 0;
    if (above) high[i] = 0;
    any = any || below || above;
  }
  if (!any) return x;
  x.low = share(std::move(low));
  x.high = share(std::move(high));
  x.typical = x.bias = x.rms = 1;
  x.contraction = nullptr;
  return x;
}

// What a matrix unit makes of one operand (NumericModel::operand_bits). Of a value known to an interval the rounding is
// not certain.
Real operand_of(const Real& x, int bits) {
  const auto one = [&](const std::vector<double>& values) {
    std::vector<double> rounded(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) rounded[i] = numeric::rounded_operand(values[i], bits);
    return share(std::move(rounded));
  };
  Real out = x;
  out.v = one(*x.v);
  out.before = nullptr;
  out.contraction = nullptr;
  if (x.exact()) return out;
  out.low = one(*x.low);
  out.high = one(*x.high);
  out.typical = std::min(1.0, 2 * x.typical);
  out.f64_share = 1;
  return out;
}

// A start value that the device may round or not.
Real start_of(const Real& x, int bits) {
  const Real rounded = operand_of(x, bits);
  std::vector<double> low(x.size()), high(x.size());
  for (std::size_t i = 0; i < low.size(); ++i) {
    low[i] = std::min(x.lows()[i], rounded.lows()[i]);
    high[i] = std::max(x.highs()[i], rounded.highs()[i]);
  }
  Real out = x;
  out.low = share(std::move(low));
  out.high = share(std::move(high));
  out.typical = out.bias = out.rms = 1;
  return out;
}

}  // namespace

Value RealKernel::load(const Shape& shape, std::vector<double> values) const {
  Real real;
  real.v = share(std::move(values));
  return wrap(shape, std::move(real));
}

Value RealKernel::constant(double value) { return load({}, {round_to(DType::f32, value)}); }

Value RealKernel::result(const Shape& shape, Real real) const {
  const bool flushes = options_.intervals && options_.declared.flush_subnormals;
  return wrap(shape, flushes ? with_flushed(std::move(real)) : std::move(real));
}

ArithmeticOptions RealKernel::arithmetic() const {
  return {options_.intervals, options_.magnitudes, memo_.execution().simd, options_.exact_quotients};
}

// Magnitudes travel with arrays, and what a model flushes is looked for in arrays.
bool RealKernel::waits(const Shape& shape) const {
  return element_count(shape) >= least_deferred && !options_.magnitudes && !options_.declared.flush_subnormals;
}

Value RealKernel::later(const Shape& shape, Step step, const Value& a, const Value& b) const {
  step.intervals = options_.intervals;
  step.simd = memo_.execution().simd;
  step.size = static_cast<std::size_t>(element_count(shape));
  step.a = std::static_pointer_cast<const Real>(a.data);
  step.b = std::static_pointer_cast<const Real>(b.data);
  return {shape, deferred(std::move(step))};
}

Value RealKernel::unary(Unary op, const Value& x) {
  const bool simple = op == Unary::negate || op == Unary::relu || op == Unary::positive;
  if (!simple || !waits(x.shape)) return result(x.shape, apply(op, real(x), arithmetic()));
  const StepKind kind = op == Unary::negate ? StepKind::negate
                        : op == Unary::relu ? StepKind::relu
                                            : StepKind::positive;
  return later(x.shape, {.kind = kind}, x);
}

Value RealKernel::binary(Binary op, const Value& a, const Value& b) {
  const Shape shape = broadcast_shape(a.shape, b.shape);
  const bool simple = op != Binary::maximum && op != Binary::minimum;
  if (simple && waits(shape)) {
    constexpr std::int64_t shortest = 16;  // runs: below, calls cost more than elements
    Blocks blocks = blocks_of(a.shape, b.shape, shape);
    if (blocks.length >= shortest) {
      return later(shape,
                   {.kind = StepKind::arithmetic,
                    .operation = operation_of(op, options_.exact_quotients),
                    .blocks = std::move(blocks)},
                   a, b);
    }
  }
  return result(shape, apply(op, Shaped{real(a), a.shape}, Shaped{real(b), b.shape}, arithmetic()));
}

Value RealKernel::function(Function f, const Value& x) { return result(x.shape, apply(f, real(x), arithmetic())); }

Value RealKernel::maximum(const Value& x, const std::vector<int>& axes) {
  return wrap(sum_layout(x.shape, axes).shape, largest_of(real(x), sum_layout(x.shape, axes)));
}

Value RealKernel::first_maximum(const Value& x, const std::vector<int>& axes) {
  return wrap(x.shape, first_largest_of(real(x), sum_layout(x.shape, axes)));
}

Value RealKernel::pick(const Value& x, const Shape& shape, const Indices& from, double fill) {
  return wrap(shape, picked_from(real(x), *from, fill));
}

Value RealKernel::join(const std::vector<Value>& parts, int axis) {
  std::vector<Shape> shapes;
  std::vector<const Real*> reals;
  for (const Value& part : parts) {
    shapes.push_back(part.shape);
    reals.push_back(&real(part));
  }
  return wrap(joined_shape(shapes, axis), joined_reals(reals, shapes, axis, options_.magnitudes));
}

std::vector<std::int64_t> RealKernel::integers(const Value& x) { return whole_numbers(*real(x).v); }

Value RealKernel::cast(DType dtype, const Value& x) { return rounded(dtype, x); }

Value RealKernel::reshape(const Value& x, const Shape& shape) { return {shape, x.data}; }

Value RealKernel::sum(const Value& x, const std::vector<int>& axes) {
  return result(sum_layout(x.shape, axes).shape, run::sum(x.shape, axes, real(x), options_, memo_));
}

Value RealKernel::contract(const engine::Contraction& problem, const Value& a, const Value& b, const Value& bias) {
  const Real* start = bias ? &real(bias) : nullptr;
  const int bits = schedule_.roundings ? options_.declared.operand_bits : 0;
  if (bits == 0)
    return result(problem.output_shape(), run::contract(problem, real(a), real(b), start, options_, memo_));
  const Real left = operand_of(real(a), bits), right = operand_of(real(b), bits);
  const Real own_start = start != nullptr && options_.intervals ? start_of(*start, bits) : Real{};
  if (start != nullptr && options_.intervals) start = &own_start;
  return result(problem.output_shape(), run::contract(problem, left, right, start, options_, memo_));
}

Value RealKernel::conv2d(const Value& x, const Value& w, const Value& bias, const Conv2dAttrs& attrs) {
  const engine::Contraction problem = {engine::Direction::forward, geometry_of(x.shape, w.shape, attrs)};
  return contract(problem, x, w, bias);
}

Value RealKernel::conv2d_data_gradient(const Value& dy, const Value& w, const Shape& x, const Conv2dAttrs& attrs) {
  return contract({engine::Direction::data_gradient, geometry_of(x, w.shape, attrs)}, dy, w, {});
}

Value RealKernel::conv2d_weight_gradient(const Value& x, const Value& dy, const Shape& w, const Conv2dAttrs& attrs) {
  return contract({engine::Direction::weight_gradient, geometry_of(x.shape, w, attrs)}, x, dy, {});
}

Value RealKernel::rounded(DType dtype, const Value& x, bool keep_before) const {
  if (!schedule_.roundings || dtype == DType::boolean) return x;  // a mask is 0 or 1 in any type
  const RoundingRule& rule = options_.declared.store;
  // The plain result of a contraction can be summed exactly where its rounding is in doubt, which takes the array.
  if (waits(x.shape) && static_cast<const Real*>(x.data.get())->contraction == nullptr) {
    return later(x.shape, {.kind = StepKind::round, .dtype = dtype, .rule = rule, .keep_before = keep_before}, x);
  }
  const Real& in = real(x);
  const auto one = [&](const std::vector<double>& values) {
    std::vector<double> out(values.size());
    round_to(dtype, std::span<const double>(values), out, rule);
    return out;
  };
  std::vector<double> low = in.exact() ? std::vector<double>{} : one(*in.low);
  std::vector<double> high = in.exact() ? std::vector<double>{} : one(*in.high);
  for (std::size_t i = 0; i < low.size();
       ++i) {  // anything stays anything, NaN included, where the store saturates too
    if (!((*in.low)[i] == -infinity && (*in.high)[i] == infinity)) continue;
    low[i] = -infinity;
    high[i] = infinity;
  }
  Certified truth = certified(in, dtype, rule, low, high);
  Real out = in;
  out.v = share(std::move(truth.values));
  out.uncertified = truth.undecided;
  if (truth.undecided > 0) out.f64_share = 1;  // v may be the wrong neighbour, as far off as the interval is wide
  out.contraction = nullptr;
  out.before = std::make_shared<Real>(in);
  if (!truth.exact.empty()) {
    std::vector<double> better = *in.v;
    for (const auto& [i, value] : truth.exact) better[i] = value;
    Real corrected = in;
    corrected.v = share(std::move(better));
    out.before = std::make_shared<Real>(std::move(corrected));
  }
  bool any = false;
  for (std::size_t i = 0; i < low.size(); ++i) any = any || low[i] != high[i];
  out.low = any ? share(std::move(low)) : nullptr;
  out.high = any ? share(std::move(high)) : nullptr;
  // Where rounding leaves two neighbours, a legal error that crosses costs the whole step: twice its half.
  if (any) out.typical = std::min(1.0, 2 * in.typical);
  return wrap(x.shape, std::move(out));
}

Value RealKernel::round(std::string_view point, const Value& x) {
  const auto rule = schedule_.points.find(point);
  if (rule != schedule_.points.end()) return rule->second.has_value() ? rounded(*rule->second, x) : x;
  return schedule_.store_edges ? rounded(context_.dtype, x) : x;
}

Value RealKernel::operand(std::string_view point, const Value& x) {
  const auto rule = schedule_.points.find(point);
  if (rule != schedule_.points.end()) return rule->second.has_value() ? rounded(*rule->second, x) : x;
  return rounded(context_.dtype, x);
}

Value RealKernel::store(std::string_view tensor, const Value& x) {
  const bool wanted = !options_.only_saved || tensor != context_.interface.first_output;
  return wanted ? rounded(context_.dtype_of(tensor), x, true) : x;
}

Value RealKernel::either(const Value& usual, const Value& other) {
  if (!options_.intervals) return usual;
  const auto contraction = [](const Value& x) { return static_cast<const Real*>(x.data.get())->contraction; };
  if (waits(usual.shape) && contraction(usual) == nullptr) {
    return later(usual.shape, {.kind = StepKind::either}, usual, other);
  }
  const Real& first = real(usual);
  const Real& second = real(other);
  std::vector<double> low(first.size());
  std::vector<double> high(first.size());
  bool choice = false;
  for (std::size_t i = 0; i < low.size(); ++i) {
    low[i] = std::min(first.lows()[i], second.lows()[i]);
    high[i] = std::max(first.highs()[i], second.highs()[i]);
    choice = choice || low[i] != high[i];
  }
  if (!choice) return usual;
  Real out = first;
  out.low = share(std::move(low));
  out.high = share(std::move(high));
  out.typical = 1;
  out.bias = out.rms = 1;
  return wrap(usual.shape, std::move(out));
}

}  // namespace fusecheck::run
