// Arrays rounded by the loops of the best instruction set, or one by one where the rule is not to nearest even.
#include <limits>
#include <string>

#include "fusecheck/dtype.hpp"
#include "fusecheck/error.hpp"
#include "numeric/functions_dispatch.hpp"
#include "numeric/round_loops.hpp"

namespace fusecheck {
namespace {

const numeric::RoundLoops& round_loops_baseline() {
  static constexpr numeric::RoundLoops loops = numeric::round_loops();
  return loops;
}

const numeric::RoundLoops& best_loops() {
  static const numeric::RoundLoops& best =
      numeric::best_of(round_loops_baseline, numeric::round_loops_avx2, numeric::round_loops_avx512);
  return best;
}

template <typename T>
void apply(numeric::RoundLoop<T> loop, std::span<const T> x, std::span<T> y) {
  loop(x.data(), y.data(), x.size());
}

// Any rule and any format, by the scalar definition.
template <typename T>
void round_each(DType format, std::span<const T> x, std::span<T> y, const RoundingRule& rule) {
  if (format == DType::boolean) {  // any number but 0 is true, NaN is not
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = static_cast<T>((x[i] < 0 ? 1 : 0) + (x[i] > 0 ? 1 : 0));
    return;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double rounded = round_to(format, static_cast<double>(x[i]), rule);
    y[i] = rounded != rounded ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(rounded);
  }
}

template <typename T>
void require_same_size(std::span<const T> x, std::span<T> y) {
  if (x.size() != y.size()) {
    internal_error("round_to: " + std::to_string(x.size()) + " values into an array of " + std::to_string(y.size()));
  }
}

void require_16_bits(DType format, std::size_t values, std::size_t bytes) {
  if (format != DType::f16 && format != DType::bf16) {
    internal_error("patterns of 16 bits asked for in " + std::string(name_of(format)));
  }
  if (bytes != 2 * values) {
    internal_error(std::to_string(values) + " values of 16 bits in " + std::to_string(bytes) + " bytes");
  }
}

}  // namespace

void round_to(DType format, std::span<const double> x, std::span<double> y, const RoundingRule& rule) {
  require_same_size(x, y);
  const bool fast = rule == RoundingRule{};
  if (fast && format == DType::f64) return apply(best_loops().f64_to_f64, x, y);
  if (fast && format == DType::f32) return apply(best_loops().f64_to_f32, x, y);
  if (fast && format == DType::f16) return apply(best_loops().f64_to_f16, x, y);
  if (fast && format == DType::bf16) return apply(best_loops().f64_to_bf16, x, y);
  round_each(format, x, y, rule);
}

void round_to(DType format, std::span<const float> x, std::span<float> y, const RoundingRule& rule) {
  require_same_size(x, y);
  const bool fast = rule == RoundingRule{};
  // Every f32 value is a value of f64 already.
  if (fast && (format == DType::f64 || format == DType::f32)) return apply(best_loops().f32_to_f32, x, y);
  if (fast && format == DType::f16) return apply(best_loops().f32_to_f16, x, y);
  if (fast && format == DType::bf16) return apply(best_loops().f32_to_bf16, x, y);
  round_each(format, x, y, rule);
}

void store_rounded(DType format, std::span<const float> x, std::span<std::byte> patterns) {
  require_16_bits(format, x.size(), patterns.size());
  const numeric::RoundLoops& loops = best_loops();
  (format == DType::f16 ? loops.narrow_f16 : loops.narrow_bf16)(x.data(), patterns.data(), x.size());
}

void store_truths(std::span<const float> x, std::span<std::byte> bytes) {
  if (x.size() != bytes.size()) {
    internal_error(std::to_string(x.size()) + " truth values in " + std::to_string(bytes.size()) + " bytes");
  }
  best_loops().truths(x.data(), bytes.data(), x.size());
}

void load_values(DType format, std::span<const std::byte> patterns, std::span<float> y) {
  require_16_bits(format, y.size(), patterns.size());
  const numeric::RoundLoops& loops = best_loops();
  (format == DType::f16 ? loops.widen_f16 : loops.widen_bf16)(patterns.data(), y.data(), y.size());
}

}  // namespace fusecheck
