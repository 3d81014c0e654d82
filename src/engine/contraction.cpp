#include "engine/contraction.hpp"

#include <algorithm>
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
  require_sizes(problem, a, b, bias);
  const Lowering l = lower(problem, arithmetic.k_order, arithmetic.c0);
  const Schedule<float> schedule = schedule_for(l, arithmetic, execution, a, b, bias);
  std::vector<float> out(sample.outputs.size());
  evaluate(l, sample.rows, schedule, a, b, bias, definition_of(arithmetic), execution.threads,
           [&](std::int64_t position, float value) {
             const auto found = std::ranges::lower_bound(sample.outputs, position);
             out[static_cast<std::size_t>(found - sample.outputs.begin())] = value;
           });
  return out;
}

}  // namespace fusecheck::engine
