#include "engine/contraction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "engine/by_definition.hpp"
#include "engine/lowering.hpp"
#include "engine/matrix_unit_range.hpp"
#include "engine/packed.hpp"
#include "engine/simd.hpp"
#include "fusecheck/error.hpp"
#include "numeric/sums.hpp"

namespace fusecheck::engine {

namespace {

template <class T>
bool all_finite(std::span<const T> x) {
  bool finite = true;  // no early exit, so that the loop vectorises
  for (const T value : x) finite = finite & (std::fabs(value) <= std::numeric_limits<T>::max());
  return finite;
}

template <class T>
T canonical(T x) {
  return x != x ? std::numeric_limits<T>::quiet_NaN() : x;
}

template <class T>
void require_sizes(const Contraction& problem, std::span<const T> a, std::span<const T> b, std::span<const T> bias) {
  const std::int64_t a_size = element_count(problem.a_shape()), b_size = element_count(problem.b_shape());
  if (std::ssize(a) != a_size || std::ssize(b) != b_size) {
    internal_error("contraction of " + std::to_string(a.size()) + " and " + std::to_string(b.size()) +
                   " values, but the shapes hold " + std::to_string(a_size) + " and " + std::to_string(b_size));
  }
  const std::int64_t channels = problem.direction == Direction::forward ? problem.geometry.oc : 0;
  if (!bias.empty() && std::ssize(bias) != channels) {
    internal_error("bias of " + std::to_string(bias.size()) + " values for " + std::to_string(channels) +
                   " output channels; only the forward direction takes one");
  }
}

InnerProduct<float> definition_of(const Arithmetic& arithmetic) {
  const bool descending = arithmetic.sum.kind == SumKind::reversed;
  if (arithmetic.accumulate == DType::f16) {
    return [descending](std::span<const float> a, std::span<const float> b, float c) {
      if (!descending) return numeric::dot_f16(a, b, c);
      return numeric::dot_f16(std::vector<float>(a.rbegin(), a.rend()), std::vector<float>(b.rbegin(), b.rend()), c);
    };
  }
  return [sum = arithmetic.sum](std::span<const float> a, std::span<const float> b, float c) {
    return numeric::dot(a, b, c, sum);
  };
}

double chain_f64(std::span<const double> a, std::span<const double> b, double c) {
  for (std::size_t k = 0; k < a.size(); ++k) c = std::fma(a[k], b[k], c);
  return canonical(c);
}

// The schedule for these operands: without kernels where only the definition serves them.
Schedule<float> schedule_for(const Lowering& l, const Arithmetic& arithmetic, const Execution& execution,
                             std::span<const float> a, std::span<const float> b, std::span<const float> bias) {
  Schedule<float> schedule = schedule_of(kernels_for(execution.simd), arithmetic, l.terms());
  if (schedule.with_exponents && !kernels_fit(schedule.unit, a, b, bias)) schedule.kernels = {};
  return schedule;
}

// Kernels for all rows, then the definition for those that they cannot do: sums without terms among them.
template <class T, class Store>
void evaluate(const Lowering& l, const RowLists& rows, const Schedule<T>& schedule, std::span<const T> a,
              std::span<const T> b, std::span<const T> bias, const InnerProduct<T>& definition, int threads,
              const Store& store) {
  if (schedule.kernels.wide.run == nullptr || l.terms() == 0) {
    evaluate_by_definition<T>(l, rows, WhichRows::all, a, b, bias, definition, threads, store);
    return;
  }
  const Packed<T> packed = pack(l, rows, schedule, a, b, bias, threads);
  AlignedBuffer<T> c(packed.c_size());
  run(packed, threads, c.data());
  unpack(l, rows, packed, c.data(), [&](std::int64_t position, T value) { store(position, canonical(value)); });
  if (!all_finite(b)) {
    evaluate_by_definition<T>(l, rows, WhichRows::with_padding, a, b, bias, definition, threads, store);
  }
}

}  // namespace

std::vector<float> contract(const Contraction& problem, std::span<const float> a, std::span<const float> b,
                            std::span<const float> bias, const Arithmetic& arithmetic, const Execution& execution) {
  require_sizes(problem, a, b, bias);
  const Lowering l = lower(problem, arithmetic.k_order, arithmetic.c0);
  const Schedule<float> schedule = schedule_for(l, arithmetic, execution, a, b, bias);
  std::vector<float> out(static_cast<std::size_t>(element_count(problem.output_shape())));
  evaluate(l, all_rows(l), schedule, a, b, bias, definition_of(arithmetic), execution.threads,
           [&](std::int64_t position, float value) { out[static_cast<std::size_t>(position)] = value; });
  return out;
}

std::vector<double> contract_f64(const Contraction& problem, std::span<const double> a, std::span<const double> b,
                                 std::span<const double> bias, const Execution& execution) {
  require_sizes(problem, a, b, bias);
  const Lowering l = lower(problem, KOrder::c_kh_kw, 1);
  std::vector<double> out(static_cast<std::size_t>(element_count(problem.output_shape())));
  evaluate<double>(l, all_rows(l), truth_schedule(kernels_for(execution.simd)), a, b, bias, &chain_f64,
                   execution.threads,
                   [&](std::int64_t position, double value) { out[static_cast<std::size_t>(position)] = value; });
  return out;
}

std::vector<float> contract_at(const Contraction& problem, std::span<const float> a, std::span<const float> b,
                               std::span<const float> bias, const Arithmetic& arithmetic, const Sample& sample,
                               const Execution& execution) {
  return SampledContraction(problem, a, b, bias, sample, execution).values(arithmetic);
}

struct SampledContraction::Prepared {
  Contraction problem;
  std::span<const float> a, b, bias;
  const Sample& sample;
  Execution execution;
  bool b_finite = true;
  Lowering plain = {};                         // terms in ascending order
  std::unique_ptr<std::int32_t[]> place = {};  // of each output in sample.outputs; unset for those that are not there
  std::vector<std::array<std::int64_t, 3>> at = {};  // group, row and column of each of sample.outputs
  Packed<float> packed = {};                         // as the last order left it
};

SampledContraction::SampledContraction(const Contraction& problem, std::span<const float> a, std::span<const float> b,
                                       std::span<const float> bias, const Sample& sample, const Execution& execution)
    : prepared_(new Prepared{problem, a, b, bias, sample, execution}) {
  require_sizes(problem, a, b, bias);
  Prepared& p = *prepared_;
  p.b_finite = all_finite(b);
  p.plain = lower(problem, KOrder::c_kh_kw, 1);
  p.place.reset(new std::int32_t[static_cast<std::size_t>(element_count(problem.output_shape()))]);
  for (std::size_t i = 0; i < sample.outputs.size(); ++i) {
    p.place[static_cast<std::size_t>(sample.outputs[i])] = static_cast<std::int32_t>(i);
  }
  p.at.resize(sample.outputs.size());
  for (std::int64_t g = 0; g < p.plain.groups; ++g) {
    for (const std::int64_t row : rows_of(sample.rows, g)) {
      const std::int64_t first = g * p.plain.out_step.group + p.plain.out_row[static_cast<std::size_t>(row)];
      for (std::int64_t n = 0; n < p.plain.columns; ++n) {
        const auto output = static_cast<std::size_t>(first + n * p.plain.out_step.column);
        p.at[static_cast<std::size_t>(p.place[output])] = {g, row, n};
      }
    }
  }
  const Schedule<float> schedule = schedule_of(kernels_for(execution.simd), {}, p.plain.terms());
  p.packed = pack(p.plain, sample.rows, schedule, a, b, bias, execution.threads);
}

SampledContraction::~SampledContraction() = default;

std::vector<float> SampledContraction::values(const Arithmetic& arithmetic) {
  Prepared& p = *prepared_;
  const bool other_order = arithmetic.k_order != KOrder::c_kh_kw;
  const Lowering own = other_order ? lower(p.problem, arithmetic.k_order, arithmetic.c0) : Lowering{};
  const Lowering& l = other_order ? own : p.plain;
  const Schedule<float> schedule = schedule_for(l, arithmetic, p.execution, p.a, p.b, p.bias);
  const int threads = p.execution.threads;
  std::vector<float> out(p.sample.outputs.size());
  const auto store = [&](std::int64_t position, float value) {
    out[static_cast<std::size_t>(p.place[static_cast<std::size_t>(position)])] = canonical(value);
  };
  const auto by_definition = [&](WhichRows which) {
    evaluate_by_definition<float>(l, p.sample.rows, which, p.a, p.b, p.bias, definition_of(arithmetic), threads, store);
  };
  if (schedule.kernels.wide.run == nullptr) {
    by_definition(WhichRows::all);
    return out;
  }
  repack(p.packed, l, p.sample.rows, schedule, p.b, p.bias, threads);
  AlignedBuffer<float> c(p.packed.c_size());
  run(p.packed, threads, c.data());
  unpack(l, p.sample.rows, p.packed, c.data(), store);
  if (!p.b_finite) by_definition(WhichRows::with_padding);
  return out;
}

std::vector<double> SampledContraction::products(std::span<const std::size_t> places) const {
  const Prepared& p = *prepared_;
  const auto terms = static_cast<std::size_t>(p.plain.terms());
  std::vector<double> all(places.size() * terms);
  for (std::size_t i = 0; i < places.size(); ++i) {
    double* const to = all.data() + i * terms;
    if (!p.b_finite) {  // where a tap on padding meets an infinity it is a zero all the same
      std::ranges::copy(terms_of(p.problem, p.a, p.b, p.sample.outputs[places[i]]), to);
      continue;
    }
    const auto [group, row, column] = p.at[places[i]];
    const float* const a = p.packed.a.data() + group * p.plain.a_group + p.plain.row[static_cast<std::size_t>(row)];
    const float* const b = p.b.data() + group * p.plain.b_step.group + column * p.plain.b_step.column;
    for (std::size_t k = 0; k < terms; ++k) {
      to[k] = static_cast<double>(a[p.plain.term[k]]) * static_cast<double>(b[p.plain.b_term[k]]);
    }
  }
  return all;
}

}  // namespace fusecheck::engine
