#include <algorithm>
#include <string>

#include "engine/packed.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::engine {

namespace {

// Terms in one call of a kernel: their panel of b, 32 columns of f32, is 24 KiB and stays in the first-level cache
// while the rows pass by. A multiple of 16, as block16 needs.
constexpr std::int64_t kBlock = 192;

Schedule<float> half_schedule(const KernelTable& table, const Arithmetic& arithmetic) {
  if (arithmetic.sum.kind == SumKind::sequential || arithmetic.sum.kind == SumKind::reversed) {
    return {.kernels = table.fma_f16, .block = kBlock, .descending = arithmetic.sum.kind == SumKind::reversed};
  }
  usage_error(
      "accumulation in f16 is defined for sequential and reversed sums only; use accumulate f32 for this order");
}

Schedule<float> split_schedule(const KernelTable& table, const Arithmetic& arithmetic, std::int64_t terms) {
  const std::int64_t parts = arithmetic.sum.parts;
  if (parts < 1) usage_error("split_k:" + std::to_string(parts) + ": the number of parts must be at least 1");
  return {.kernels = table.fma_f32, .block = std::max<std::int64_t>((terms + parts - 1) / parts, 1), .restart = true};
}

}  // namespace

Schedule<float> schedule_of(const KernelTable& table, const Arithmetic& arithmetic, std::int64_t terms) {
  if (arithmetic.accumulate == DType::f16) return half_schedule(table, arithmetic);
  if (arithmetic.accumulate != DType::f32) {
    usage_error("accumulate " + std::string(name_of(arithmetic.accumulate)) +
                ": the engine emulates f32 and f16 accumulators");
  }
  const SumOrder& sum = arithmetic.sum;
  if (sum.kind == SumKind::split_k) return split_schedule(table, arithmetic, terms);
  if (sum.kind == SumKind::pairwise) return {.kernels = table.pairwise, .block = terms};
  if (sum.kind == SumKind::block16) return {.kernels = table.block16, .block = kBlock};
  if (sum.kind == SumKind::matrix_unit) {
    const std::int64_t products = std::max(sum.unit.products, 1);
    return {.kernels = table.matrix_unit,
            .block = std::max<std::int64_t>(kBlock / products, 1) * products,
            .unit = sum.unit,
            .with_exponents = true};
  }
  return {.kernels = table.fma_f32, .block = kBlock, .descending = sum.kind == SumKind::reversed};
}

Schedule<double> truth_schedule(const KernelTable& table) { return {.kernels = table.fma_f64, .block = kBlock}; }

// Blocks from 0 keep the error of long sums small; any order is allowed here.
Schedule<float> absolute_schedule(const KernelTable& table) {
  return {.kernels = table.fma_f32, .block = kBlock, .restart = true};
}

}  // namespace fusecheck::engine
