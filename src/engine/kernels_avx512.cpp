// The kernels for AVX-512 F, BW, DQ and VL. No inline function of the standard library may be used here.
#include "engine/elementwise_kernel.hpp"
#include "engine/fma_kernel.hpp"
#include "engine/half_kernel.hpp"
#include "engine/kernels.hpp"
#include "engine/matrix_unit_kernel.hpp"
#include "engine/tree_kernel.hpp"
#include "engine/vector_avx512.hpp"

namespace fusecheck::engine {

namespace {

struct EightLanes {
  typedef double Double __attribute__((vector_size(64)));
  typedef float Float __attribute__((vector_size(32)));
  static constexpr int lanes = 8;
  static Double through_f32(Double x) { return __builtin_convertvector(__builtin_convertvector(x, Float), Double); }
};

// Tile sizes: as many accumulators as 32 registers hold beside the operands.
constexpr KernelTable kTable = {
    .fma_f32 = {fma_kernel<F32, 14, 2>(), fma_kernel<F32, 14, 1>()},
    .fma_f64 = {fma_kernel<F64, 14, 2>(), fma_kernel<F64, 14, 1>()},
    .block16 = {block16_kernel<F32, 4, 1>(), block16_kernel<F32, 4, 1>()},
    .pairwise = {pairwise_kernel<F32, 4, 1>(), pairwise_kernel<F32, 4, 1>()},
    .fma_f16 = {half_kernel<Half, 7, 2>(), half_kernel<Half, 14, 1>()},
    .matrix_unit = {matrix_unit_kernel<Unit, 2, 4>(), matrix_unit_kernel<Unit, 4, 1>()},
    .elementwise = elementwise_table<EightLanes>(),
};

}  // namespace

const KernelTable& avx512_kernels() { return kTable; }

}  // namespace fusecheck::engine
