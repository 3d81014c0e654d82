#include "run/real_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fusecheck/error.hpp"
#include "run/certify.hpp"
#include "run/layout_ops.hpp"
#include "run/real_arithmetic.hpp"
#include "run/real_function.hpp"

namespace fusecheck::run {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Half the smallest f32 subnormal: what one rounding of a tiny value may add (N4).
constexpr double eta = 0x1p-150;

Value wrap(Shape shape, Real real) { return {std::move(shape), std::make_shared<const Real>(std::move(real))}; }

// The accumulator holds every partial sum exactly when all terms are multiples of one power of two and Σ|terms| stays
// below 2^p of them: then every legal order gives the same bits (J10).
double exact_limit(const Accumulator& accumulator) {
  if (accumulator.dtype == DType::f16) return 0x1p11;
  if (!accumulator.truncating) return 0x1p24;
  return accumulator.unit.fraction_bits >= 24 ? 0x1p24 : 0x1p23;
}

// What underflow adds to a sum of n terms: half the smallest subnormal for each rounding to nearest. A matrix unit cuts
// off up to a whole one, and aligns a product with a subnormal operand as if that were 2^-126 (N7): a cut at 2^-F of
// that times the other operand.
double underflow(const Accumulator& accumulator, double n, const Real& left, const Real& right) {
  if (accumulator.dtype == DType::f16) return n * 0x1p-25;
  if (!accumulator.truncating) return n * eta;
  double reach = 1;
  for (const Doubles& values : {left.v, right.v}) {
    for (const double value : *values) {
      if (std::fabs(value) < infinity) reach = std::max(reach, std::fabs(value));
    }
  }
  double cut = 0x1p-126 * reach;
  for (int f = 0; f < accumulator.unit.fraction_bits; ++f) cut /= 2;
  return n * (2 * eta + cut);
}

std::vector<float> upwards(const std::vector<double>& values) {
  std::vector<float> up(values.size());
  for (std::size_t i = 0; i < up.size(); ++i) up[i] = static_cast<float>(values[i] * (1 + 0x1p-22));
  return up;
}

// |v| + half-width: the largest magnitude in the interval.
std::vector<double> outer(const Real& x, const std::vector<double>& half) {
  std::vector<double> values(x.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::fabs((*x.v)[i]) + half[i];
  return values;
}

std::vector<double> magnitudes(const Real& x) {
  if (x.magnitude != nullptr) return *x.magnitude;
  std::vector<double> values(x.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::fabs((*x.v)[i]);
  return values;
}

// Gives `out` the interval v ± (limit·S + inherited); `limit` is c·u.
struct Spread {
  double limit = 0, rigorous = 0;  // c·u and n·u
  double exact_below = 0;          // S below this: no error at all
  double overflow = 0;             // S·(1 + n·u) above this: anything is legal
  double tiny = 0;                 // absolute allowance for underflow
  double finite_terms = 0;         // bound of Σ|terms| over the finite ones, where v holds an infinity or NaN
};

double largest_finite_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  }
  return largest;
}

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

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

// `function` on the value, both ends and the magnitudes.
template <class F>
Real each_part(const Real& x, F function) {
  Real out = x;
  out.before = nullptr;
  out.contraction = nullptr;
  out.uncertified = 0;
  out.v = share(function(*x.v));
  if (!x.exact()) {
    out.low = share(function(*x.low));
    out.high = share(function(*x.high));
  }
  if (x.magnitude != nullptr) out.magnitude = share(function(*x.magnitude));
  return out;
}

void mark_possible_maxima(const Real& x, const SumLayout& layout, std::vector<double>& low, std::vector<double>& high) {
  for (const std::int64_t base : layout.group_base) {
    double before = -infinity;  // an earlier element is certainly at least this; a later one needs more
    double all = -infinity;
    for (const std::int64_t offset : layout.term_offset) all = larger(all, x.lows()[static_cast<std::size_t>(base + offset)]);
    std::size_t possible = 0, last = 0;
    for (const std::int64_t offset : layout.term_offset) {
      const auto i = static_cast<std::size_t>(base + offset);
      const double reach = x.highs()[i];
      const bool beaten = reach < all || (possible > 0 && reach <= before);
      before = larger(before, x.lows()[i]);
      if (beaten) continue;
      high[i] = 1;
      last = i;
      ++possible;
    }
    if (possible == 1) low[last] = 1;
  }
}

void spread(Real& out, const Spread& rule, const auto& s, const std::vector<double>& inherited,
            const Calibration& calibration, double inherited_typical) {
  const std::vector<double>& v = *out.v;
  std::vector<double> low(v.size());
  std::vector<double> high(v.size());
  bool any = false;
  double own = 0;
  double passed_on = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const auto magnitude = static_cast<double>(s[i]);
    const double from_operands = inherited.empty() ? 0 : inherited[i];
    const double rounding = magnitude < rule.exact_below ? 0 : rule.limit * magnitude + rule.tiny;
    double e = rounding + from_operands;
    // An infinite or NaN operand makes v what every order gives, unless the other terms may overflow by themselves.
    const bool finite = std::isfinite(v[i]);
    if (finite && magnitude * (1 + rule.rigorous) > rule.overflow) e = infinity;
    if (!finite) e = from_operands == infinity || rule.finite_terms > rule.overflow ? infinity : 0;
    low[i] = e == infinity ? -infinity : v[i] - e;
    high[i] = e == infinity ? infinity : v[i] + e;
    any = any || e > 0;
    if (finite && e < infinity) {
      own += rounding;
      passed_on += from_operands;
    }
  }
  if (!any) return;
  out.low = share(std::move(low));
  out.high = share(std::move(high));
  const double total = own + passed_on;
  if (total > 0) {
    const auto mixed = [&](double mine) { return (own * mine + passed_on * inherited_typical) / total; };
    out.typical = mixed(calibration.typical);
    out.bias = mixed(calibration.bias);
    out.rms = mixed(calibration.rms);
  }
  out.rigorous = std::max(out.rigorous, calibration.c > 0 ? calibration.n / calibration.c : 1);
}

}  // namespace

engine::Conv2dGeometry geometry_of(const Shape& x, const Shape& w, const Conv2dAttrs& attrs) {
  return {.n = x[0],
          .c = x[1],
          .h = x[2],
          .w = x[3],
          .oc = w[0],
          .kh = w[2],
          .kw = w[3],
          .stride_h = attrs.stride_h,
          .stride_w = attrs.stride_w,
          .pad_top = attrs.pad_top,
          .pad_left = attrs.pad_left,
          .pad_bottom = attrs.pad_bottom,
          .pad_right = attrs.pad_right,
          .dilation_h = attrs.dilation_h,
          .dilation_w = attrs.dilation_w,
          .groups = attrs.groups};
}

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
  return {options_.intervals, options_.magnitudes, memo_.execution().simd};
}

Value RealKernel::unary(Unary op, const Value& x) { return result(x.shape, apply(op, real(x), arithmetic())); }

Value RealKernel::binary(Binary op, const Value& a, const Value& b) {
  return result(broadcast_shape(a.shape, b.shape),
                apply(op, Shaped{real(a), a.shape}, Shaped{real(b), b.shape}, arithmetic()));
}

Value RealKernel::function(Function f, const Value& x) { return result(x.shape, apply(f, real(x), arithmetic())); }

Value RealKernel::maximum(const Value& x, const std::vector<int>& axes) {
  const SumLayout layout = sum_layout(x.shape, axes);
  return wrap(layout.shape,
              each_part(real(x), [&](const std::vector<double>& values) { return largest(values, layout); }));
}

// An element that every legal kernel takes for the first largest has [1, 1], one that some may take [0, 1].
Value RealKernel::first_maximum(const Value& x, const std::vector<int>& axes) {
  const Real& in = real(x);
  const SumLayout layout = sum_layout(x.shape, axes);
  Real out;
  out.v = share(first_largest(*in.v, layout));
  if (!in.exact()) {
    std::vector<double> low(in.size(), 0), high(in.size(), 0);
    mark_possible_maxima(in, layout, low, high);
    if (low != high) {
      out.low = share(std::move(low));
      out.high = share(std::move(high));
      out.typical = out.bias = out.rms = 1;
    }
  }
  return wrap(x.shape, std::move(out));
}

Value RealKernel::pick(const Value& x, const Shape& shape, const Indices& from, double fill) {
  return wrap(shape, each_part(real(x), [&](const std::vector<double>& values) { return picked(values, *from, fill); }));
}

Value RealKernel::join(const std::vector<Value>& parts, int axis) {
  std::vector<Shape> shapes;
  std::vector<const std::vector<double>*> v, low, high, magnitude;
  std::vector<std::vector<double>> made;  // magnitudes of the parts that carry none
  made.reserve(parts.size());
  Real out;
  bool exact = true;
  for (const Value& part : parts) {
    const Real& x = real(part);
    shapes.push_back(part.shape);
    v.push_back(x.v.get());
    low.push_back(&x.lows());
    high.push_back(&x.highs());
    if (options_.magnitudes) {
      made.push_back(magnitudes(x));
      magnitude.push_back(&made.back());
    }
    exact = exact && x.exact();
    out.typical = std::max(out.typical, x.typical);
    out.bias = std::max(out.bias, x.bias);
    out.rms = std::max(out.rms, x.rms);
    out.f64_share = std::max(out.f64_share, x.f64_share);
    out.rigorous = std::max(out.rigorous, x.rigorous);
  }
  out.v = share(joined(v, shapes, axis));
  if (!exact) {
    out.low = share(joined(low, shapes, axis));
    out.high = share(joined(high, shapes, axis));
  }
  if (options_.magnitudes) out.magnitude = share(joined(magnitude, shapes, axis));
  return wrap(joined_shape(shapes, axis), std::move(out));
}

std::vector<std::int64_t> RealKernel::integers(const Value& x) { return whole_numbers(*real(x).v); }

Value RealKernel::cast(DType dtype, const Value& x) { return rounded(dtype, x); }

Value RealKernel::reshape(const Value& x, const Shape& shape) { return {shape, x.data}; }

Value RealKernel::sum(const Value& x, const std::vector<int>& axes) {
  const Real& in = real(x);
  SumRecord& record = memo_.sum(x.shape, axes, in.v);
  const SumLayout layout = sum_layout(x.shape, axes);
  Real out;
  out.v = record.v;
  out.rigorous = in.rigorous;
  out.f64_share = std::max(in.f64_share, f64_share(layout.terms));
  const auto add_up = [&](const std::vector<double>& terms) {
    std::vector<double> totals(static_cast<std::size_t>(layout.groups), 0);
    for (std::size_t group = 0; group < totals.size(); ++group) {
      for (const std::int64_t offset : layout.term_offset) {
        totals[group] += terms[static_cast<std::size_t>(layout.group_base[group] + offset)];
      }
    }
    return totals;
  };
  if (options_.magnitudes) out.magnitude = share(add_up(magnitudes(in)));
  if (options_.intervals && layout.groups > 0) {
    const std::vector<double> half = half_widths(in);
    const std::vector<double> inherited = in.exact() ? std::vector<double>{} : add_up(half);
    const std::vector<double> s = in.exact() ? *record.s : add_up(outer(in, half));
    const Accumulator accumulator = {.dtype = options_.accumulator.dtype};
    const double step = in.exact() ? granularity(*in.v) : 0;
    if (step > 0 && *std::max_element(s.begin(), s.end()) < step * exact_limit(accumulator)) {
      return result(layout.shape, std::move(out));
    }
    const Calibration& calibration = memo_.calibration(record, accumulator);
    const double u = unit_of(accumulator);
    const auto n = static_cast<double>(layout.terms);
    const Spread rule = {calibration.c * u,
                         calibration.n * u,
                         step * exact_limit(accumulator),
                         largest_finite(accumulator.dtype),
                         options_.declared.flush_subnormals ? n * 0x1p-126 : 0,
                         all_finite(*out.v) ? 0 : n * largest_finite_of(*in.v)};
    spread(out, rule, s, inherited, calibration, in.typical);
  }
  return result(layout.shape, std::move(out));
}

Real contract(const engine::Contraction& problem, const Real& left, const Real& right, const Real* start,
              const TruthOptions& options, Memo& memo) {
  ContractionRecord& record = memo.contraction(problem, left.v, right.v, start == nullptr ? nullptr : start->v);
  Real out;
  out.v = record.v;
  out.rigorous = std::max({left.rigorous, right.rigorous, start == nullptr ? 1 : start->rigorous});
  out.f64_share = std::max({left.f64_share, right.f64_share, f64_share(problem.terms() + 1)});
  if (left.exact() && right.exact() && (start == nullptr || start->exact())) out.contraction = &record;
  const engine::Execution& execution = memo.execution();
  if (options.magnitudes) {
    const std::vector<float> s =
        engine::absolute_sum(problem, upwards(magnitudes(left)), upwards(magnitudes(right)),
                             start == nullptr ? std::vector<float>{} : upwards(magnitudes(*start)), execution);
    out.magnitude = share(std::vector<double>(s.begin(), s.end()));
  }
  if (options.intervals && !out.v->empty()) {
    const Calibration& calibration = memo.calibration(record, options.accumulator, options.declared);
    const double u = unit_of(options.accumulator);
    std::vector<double> inherited;
    double inherited_typical = 0;
    const auto inherit = [&](const std::vector<float>& widths, double typical) {
      inherited.resize(widths.size(), 0);
      for (std::size_t i = 0; i < widths.size(); ++i) inherited[i] += static_cast<double>(widths[i]);
      inherited_typical = std::max(inherited_typical, typical);
    };
    const std::vector<double> right_half = right.exact() ? std::vector<double>{} : half_widths(right);
    if (!left.exact()) {
      const std::vector<float> reach = right.exact() ? to_floats(right.v) : upwards(outer(right, right_half));
      inherit(engine::absolute_sum(problem, upwards(half_widths(left)), reach, {}, execution), left.typical);
    }
    if (!right.exact()) {
      inherit(engine::absolute_sum(problem, to_floats(left.v), upwards(right_half), {}, execution), right.typical);
    }
    if (start != nullptr && !start->exact()) {
      const std::vector<double> half = half_widths(*start);
      const Shape shape = problem.output_shape();
      const auto plane = static_cast<std::size_t>(shape[2] * shape[3]);
      inherited.resize(out.size(), 0);
      for (std::size_t i = 0; i < inherited.size(); ++i) inherited[i] += half[i / plane % half.size()];
      inherited_typical = std::max(inherited_typical, start->typical);
    }
    // Products and bias are multiples of this step; where S stays below 2^p steps nothing is ever rounded.
    double step = inherited.empty() ? granularity(*left.v) * granularity(*right.v) : 0;
    if (step > 0 && start != nullptr) step = std::min(step, granularity(*start->v));
    const bool flushes = options.declared.flush_subnormals;
    const double least = flushes ? smallest_normal(DType::f32) : smallest_subnormal(options.accumulator.dtype);
    if (step < least) step = 0;  // such products underflow
    const auto n = static_cast<double>(problem.terms() + 1);
    const auto finite_terms = [&] {
      const double products = n * largest_finite_of(*left.v) * largest_finite_of(*right.v);
      return products + (start == nullptr ? 0 : largest_finite_of(*start->v));
    };
    const Spread rule = {calibration.c * u,
                         calibration.n * u,
                         std::isfinite(step) ? step * exact_limit(options.accumulator) : infinity,
                         largest_finite(options.accumulator.dtype),
                         underflow(options.accumulator, n, left, right) + (flushes ? n * 0x1p-126 : 0),
                         all_finite(*out.v) ? 0 : finite_terms()};
    spread(out, rule, record.s, inherited, calibration, inherited_typical);
  }
  return out;
}

Value RealKernel::contract(const engine::Contraction& problem, const Value& a, const Value& b, const Value& bias) {
  return result(problem.output_shape(),
                run::contract(problem, real(a), real(b), bias ? &real(bias) : nullptr, options_, memo_));
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

Value RealKernel::rounded(DType dtype, const Value& x) const {
  if (!schedule_.roundings || dtype == DType::boolean) return x;  // a mask is 0 or 1 in any type
  const Real& in = real(x);
  const RoundingRule& rule = options_.declared.store;
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
  out.before = std::static_pointer_cast<const Real>(x.data);
  if (!truth.exact.empty()) {
    std::vector<double> better = *in.v;
    for (const auto& [i, value] : truth.exact) better[i] = value;
    Real corrected = in;
    corrected.v = share(std::move(better));
    out.before = std::make_shared<const Real>(std::move(corrected));
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
  return wanted ? rounded(context_.dtype_of(tensor), x) : x;
}

Value RealKernel::either(const Value& usual, const Value& other) {
  const Real& first = real(usual);
  const Real& second = real(other);
  if (!options_.intervals) return usual;
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
