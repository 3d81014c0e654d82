#include "run/real_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "run/certify.hpp"

namespace fusecheck::run {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Half the smallest f32 subnormal: what one rounding of a tiny value may add (N4).
constexpr double eta = 0x1p-150;

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

Real sum(const Shape& shape, const std::vector<int>& axes, const Real& in, const TruthOptions& options, Memo& memo) {
  SumRecord& record = memo.sum(shape, axes, in.v);
  const SumLayout layout = sum_layout(shape, axes);
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
  if (options.magnitudes) out.magnitude = share(add_up(magnitudes(in)));
  if (options.intervals && layout.groups > 0) {
    const std::vector<double> half = half_widths(in);
    const std::vector<double> inherited = in.exact() ? std::vector<double>{} : add_up(half);
    const std::vector<double> s = in.exact() ? *record.s : add_up(outer(in, half));
    const Accumulator accumulator = {.dtype = options.accumulator.dtype};
    const double step = in.exact() ? granularity(*in.v) : 0;
    if (step > 0 && *std::max_element(s.begin(), s.end()) < step * exact_limit(accumulator)) {
      return out;
    }
    const Calibration& calibration = memo.calibration(record, accumulator);
    const double u = unit_of(accumulator);
    const auto n = static_cast<double>(layout.terms);
    const Spread rule = {calibration.c * u,
                         calibration.n * u,
                         step * exact_limit(accumulator),
                         largest_finite(accumulator.dtype),
                         options.declared.flush_subnormals ? n * 0x1p-126 : 0,
                         all_finite(*out.v) ? 0 : n * largest_finite_of(*in.v)};
    spread(out, rule, s, inherited, calibration, in.typical);
  }
  return out;
}

namespace {

// Sums that every order forms without a rounding: multiples of one step that stay below 2^p steps.
double exact_below(ContractionRecord& record, const TruthOptions& options) {
  double step = Memo::grid(record).step;
  const bool flushes = options.declared.flush_subnormals;
  const double least = flushes ? smallest_normal(DType::f32) : smallest_subnormal(options.accumulator.dtype);
  if (step < least) step = 0;  // such products underflow
  return std::isfinite(step) ? step * exact_limit(options.accumulator) : infinity;
}

// What the operands' intervals add to each sum.
struct Inherited {
  std::vector<double> widths;  // empty: nothing
  double typical = 0;
};

Inherited inherited_by(const engine::Contraction& problem, const Real& left, const Real& right, const Real* start,
                       const engine::Execution& execution) {
  Inherited inherited;
  const auto inherit = [&](const std::vector<float>& widths, double typical) {
    inherited.widths.resize(widths.size(), 0);
    for (std::size_t i = 0; i < widths.size(); ++i) inherited.widths[i] += static_cast<double>(widths[i]);
    inherited.typical = std::max(inherited.typical, typical);
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
    inherited.widths.resize(static_cast<std::size_t>(element_count(shape)), 0);
    for (std::size_t i = 0; i < inherited.widths.size(); ++i) inherited.widths[i] += half[i / plane % half.size()];
    inherited.typical = std::max(inherited.typical, start->typical);
  }
  return inherited;
}

void widen(Real& out, const Real& left, const Real& right, const Real* start, ContractionRecord& record,
           const TruthOptions& options, Memo& memo) {
  const Inherited inherited = inherited_by(record.problem, left, right, start, memo.execution());
  const double exact = inherited.widths.empty() ? exact_below(record, options) : 0;
  const double overflow = largest_finite(options.accumulator.dtype);
  const double margin = 1 + 0x1p-20;  // above all roundings of the bound itself
  if (exact > 0 && Memo::grid(record).largest * margin < std::min(exact, overflow / 2)) return;
  const Calibration& calibration = memo.calibration(record, options.accumulator, options.declared);
  const double u = unit_of(options.accumulator);
  const bool flushes = options.declared.flush_subnormals;
  const auto n = static_cast<double>(record.problem.terms() + 1);
  const auto finite_terms = [&] {
    const double products = n * largest_finite_of(*left.v) * largest_finite_of(*right.v);
    return products + (start == nullptr ? 0 : largest_finite_of(*start->v));
  };
  const Spread rule = {calibration.c * u,
                       calibration.n * u,
                       exact,
                       overflow,
                       underflow(options.accumulator, n, left, right) + (flushes ? n * 0x1p-126 : 0),
                       all_finite(*out.v) ? 0 : finite_terms()};
  spread(out, rule, record.s, inherited.widths, calibration, inherited.typical);
}

// The same for operands without intervals: once for all schedules.
const Real& own_interval(const Real& left, const Real& right, const Real* start, ContractionRecord& record,
                         const TruthOptions& options, Memo& memo) {
  const bool flushes = options.declared.flush_subnormals;
  for (const OwnInterval& known : record.intervals) {
    if (known.accumulator == options.accumulator && known.flushes == flushes) return known.real;
  }
  Real real;
  real.v = record.v;
  widen(real, left, right, start, record, options, memo);
  record.intervals.push_back({options.accumulator, flushes, std::move(real)});
  return record.intervals.back().real;
}

}  // namespace

Real contract(const engine::Contraction& problem, const Real& left, const Real& right, const Real* start,
              const TruthOptions& options, Memo& memo) {
  ContractionRecord& record = memo.contraction(problem, left.v, right.v, start == nullptr ? nullptr : start->v);
  const bool exact = left.exact() && right.exact() && (start == nullptr || start->exact());
  Real out;
  out.v = record.v;
  if (options.intervals && !out.v->empty()) {
    if (exact) {
      out = own_interval(left, right, start, record, options, memo);
    } else {
      widen(out, left, right, start, record, options, memo);
    }
  }
  out.rigorous = std::max({out.rigorous, left.rigorous, right.rigorous, start == nullptr ? 1 : start->rigorous});
  out.f64_share = std::max({left.f64_share, right.f64_share, f64_share(problem.terms() + 1)});
  if (exact) out.contraction = &record;
  const bool plain =
      left.magnitude == nullptr && right.magnitude == nullptr && (start == nullptr || start->magnitude == nullptr);
  if (options.magnitudes && plain) {
    memo.measure(record);
    out.magnitude = share(std::vector<double>(record.s.begin(), record.s.end()));
  } else if (options.magnitudes) {
    const std::vector<float> s =
        engine::absolute_sum(problem, upwards(magnitudes(left)), upwards(magnitudes(right)),
                             start == nullptr ? std::vector<float>{} : upwards(magnitudes(*start)), memo.execution());
    out.magnitude = share(std::vector<double>(s.begin(), s.end()));
  }
  return out;
}

}  // namespace fusecheck::run
