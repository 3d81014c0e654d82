#include "run/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "numeric/descending.hpp"
#include "numeric/sums.hpp"

namespace fusecheck::run {
namespace {

// Sampled outputs of one sum (J4), drawn with a fixed seed so that a limit belongs to its case: more of them where sums
// are short, for the same work. Rows differ much there: one dominant term among 40 small ones errs more than the rest.
constexpr std::int64_t least_outputs = 4096;
constexpr std::int64_t most_products = std::int64_t{1} << 21;
constexpr std::uint64_t sample_seed = 0x63616c6962ULL;
// Sorting terms costs more than summing them, so "descending |term|" runs on fewer outputs.
constexpr std::int64_t most_sorted_terms = 1 << 14;

// Where u·S underflows, what a legal order errs by is no share of it; the interval has an absolute allowance for that.
double least_scale(DType accumulate) { return accumulate == DType::f32 ? 0x1p-126 : 0; }

// Errors of one order over the sample, in units of u·S.
struct Errors {
  double worst = 0, sum = 0, sum_abs = 0, sum_squares = 0;
  std::int64_t count = 0;
  void add(double error) {
    worst = std::max(worst, std::fabs(error));
    sum += error;
    sum_abs += std::fabs(error);
    sum_squares += error * error;
    ++count;
  }
};

class Collector {
 public:
  void take(const Errors& errors) {
    if (errors.count == 0) return;
    const auto count = static_cast<double>(errors.count);
    result_.worst = std::max(result_.worst, errors.worst);
    result_.typical = std::max(result_.typical, errors.sum_abs / count);
    result_.bias = std::max(result_.bias, std::fabs(errors.sum) / count);
    result_.rms = std::max(result_.rms, std::sqrt(errors.sum_squares / count));
  }
  Calibration finish(double n) const {
    Calibration result = result_;
    result.n = n;
    result.c = std::min(n, std::max(8.0, 3 * result.worst));  // J4
    result.typical /= result.c;
    result.bias /= result.c;
    result.rms /= result.c;
    return result;
  }

 private:
  Calibration result_;
};

SumOrder order_of(SumKind kind, int parts = 1) { return {kind, parts, {}}; }

std::vector<SumOrder> legal_orders(const Accumulator& accumulator) {
  if (accumulator.truncating) return {{SumKind::matrix_unit, 1, accumulator.unit}};
  if (accumulator.dtype == DType::f16) return {order_of(SumKind::sequential)};
  return {order_of(SumKind::sequential), order_of(SumKind::reversed), order_of(SumKind::pairwise),
          order_of(SumKind::block16), order_of(SumKind::split_k, 4)};
}

}  // namespace

Accumulator accumulator_of(const NumericModel& model) {
  Accumulator accumulator;
  accumulator.truncating = model.sum.kind == SumKind::matrix_unit;
  if (accumulator.truncating) accumulator.unit = model.sum.unit;
  accumulator.dtype = model.accumulate;
  return accumulator;
}

double unit_of(const Accumulator& accumulator) { return unit_roundoff(accumulator.dtype); }

// Nearest, any order: one rounding a term (Jeannerod and Rump 2013: n·u·S without higher-order terms). A matrix unit,
// per group of L products: each aligned term loses up to 2^-F of the largest, the sum one rounding toward zero (2u), so
// that |error| <= (K·2^-F + (K/L)·2^-23)·S; in units of u = 2^-24 (numerics of the measured units: NUMERICS.md N7).
double rigorous_terms(const Accumulator& accumulator, std::int64_t terms) {
  const auto k = static_cast<double>(terms);
  if (!accumulator.truncating) return k;
  const double groups = std::ceil(k / accumulator.unit.products);
  double cut = 1;
  for (int f = accumulator.unit.fraction_bits; f < 24; ++f) cut *= 2;
  for (int f = accumulator.unit.fraction_bits; f > 24; --f) cut /= 2;
  return (k + groups) * cut + 2 * groups;
}

Calibration calibrate(const engine::Contraction& problem, std::span<const float> a, std::span<const float> b,
                      std::span<const float> bias, std::span<const double> v, std::span<const float> s,
                      const Accumulator& accumulator, const NumericModel& declared,
                      const engine::Execution& execution) {
  const double u = unit_of(accumulator), least = least_scale(accumulator.dtype);
  const std::int64_t outputs = std::max(least_outputs, most_products / std::max<std::int64_t>(1, problem.terms()));
  const engine::Sample sample = engine::choose_outputs(problem, outputs, sample_seed);
  engine::SampledContraction sampled(problem, a, b, bias, sample, execution);
  Collector collector;
  const auto run = [&](const engine::Arithmetic& arithmetic) {
    const std::vector<float> values = sampled.values(arithmetic);
    Errors errors;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto output = static_cast<std::size_t>(sample.outputs[i]);
      const double scale = u * static_cast<double>(s[output]);
      const double error = static_cast<double>(values[i]) - v[output];
      if (scale > least && std::isfinite(error)) errors.add(error / scale);
    }
    collector.take(errors);
  };
  for (const SumOrder& order : legal_orders(accumulator)) {
    run({order, KOrder::c_kh_kw, 16, accumulator.dtype});
  }
  const bool other_layout = problem.direction != engine::Direction::weight_gradient;
  if (other_layout) {
    run({legal_orders(accumulator).front(), KOrder::c1_kh_kw_c0, declared.c0, accumulator.dtype});
  }
  const std::vector<SumOrder> tried = legal_orders(accumulator);
  const bool among_them =
      declared.k_order == KOrder::c_kh_kw && std::find(tried.begin(), tried.end(), declared.sum) != tried.end();
  if (accumulator_of(declared) == accumulator && !among_them) run(engine::Arithmetic::of(declared));

  if (!accumulator.truncating && accumulator.dtype == DType::f32) {  // descending |term|
    const std::int64_t sorted =
        std::max<std::int64_t>(16, most_sorted_terms / std::max<std::int64_t>(1, problem.terms()));
    const auto step = std::max<std::size_t>(1, sample.outputs.size() / static_cast<std::size_t>(sorted));
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < sample.outputs.size(); i += step) places.push_back(i);
    const auto length = static_cast<std::size_t>(problem.terms());
    const Shape shape = problem.output_shape();
    const auto plane = static_cast<std::size_t>(shape[2] * shape[3]);
    std::vector<float> totals(places.size(), 0.0F);
    for (std::size_t row = 0; row < places.size() && !bias.empty(); ++row) {
      totals[row] = bias[static_cast<std::size_t>(sample.outputs[places[row]]) / plane % bias.size()];
    }
    numeric::add_rows_descending(sampled.products(places), length, totals);
    Errors errors;
    for (std::size_t row = 0; row < places.size(); ++row) {
      const auto output = static_cast<std::size_t>(sample.outputs[places[row]]);
      const double scale = u * static_cast<double>(s[output]);
      const double error = static_cast<double>(totals[row]) - v[output];
      if (scale > least && std::isfinite(error)) errors.add(error / scale);
    }
    collector.take(errors);
  }
  return collector.finish(rigorous_terms(accumulator, problem.terms() + (bias.empty() ? 0 : 1)));
}

Calibration calibrate_sums(const std::vector<std::vector<float>>& terms, std::int64_t length,
                           const Accumulator& accumulator) {
  const double u = unit_of(accumulator), least = least_scale(accumulator.dtype);
  // Reductions run on vector units, which round to nearest: a matrix unit's truncation does not reach them.
  const Accumulator vector_unit = {.dtype = accumulator.dtype};
  Collector collector;
  std::vector<std::function<float(const std::vector<float>&)>> orders;
  for (const SumOrder& order : legal_orders(vector_unit)) {
    orders.emplace_back([=](const std::vector<float>& x) { return numeric::sum(x, order, accumulator.dtype); });
  }
  if (accumulator.dtype == DType::f32) {
    orders.emplace_back([](std::vector<float> x) {  // sorts a copy
      numeric::sort_descending(x);
      return numeric::sum(x, order_of(SumKind::sequential));
    });
  }
  struct Totals {
    double exact = 0, s = 0;
  };
  std::vector<Totals> totals(terms.size());
  for (std::size_t row = 0; row < terms.size(); ++row) {
    for (const float term : terms[row]) {
      totals[row].exact += static_cast<double>(term);
      totals[row].s += std::fabs(static_cast<double>(term));
    }
  }
  for (const auto& order : orders) {
    Errors errors;
    for (std::size_t row = 0; row < terms.size(); ++row) {
      const auto& [exact, s] = totals[row];
      const double error = static_cast<double>(order(terms[row])) - exact;
      if (u * s > least && std::isfinite(error)) errors.add(error / (u * s));
    }
    collector.take(errors);
  }
  return collector.finish(rigorous_terms(vector_unit, length));
}

}  // namespace fusecheck::run
