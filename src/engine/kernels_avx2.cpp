// The kernels for AVX2, FMA and F16C. No inline function of the standard library may be used here.
#include "engine/elementwise_kernel.hpp"
#include "engine/fma_kernel.hpp"
#include "engine/half_kernel.hpp"
#include "engine/kernels.hpp"
#include "engine/matrix_unit_kernel.hpp"
#include "engine/tree_kernel.hpp"
#include "engine/vector_avx2.hpp"

namespace fusecheck::engine {

namespace {

struct FourLanes {
  typedef double Double __attribute__((vector_size(32)));
  typedef float Float __attribute__((vector_size(16)));
  static constexpr int lanes = 4;
  static Double through_f32(Double x) { return __builtin_convertvector(__builtin_convertvector(x, Float), Double); }
};

// Tile sizes: as many accumulators as 16 registers hold beside the operands.
constexpr KernelTable kTable = {
    .fma_f32 = {fma_kernel<F32, 6, 2>(), fma_kernel<F32, 12, 1>()},
    .fma_f64 = {fma_kernel<F64, 6, 2>(), fma_kernel<F64, 12, 1>()},
    .block16 = {block16_kernel<F32, 1, 2>(), block16_kernel<F32, 2, 1>()},
    .pairwise = {pairwise_kernel<F32, 1, 2>(), pairwise_kernel<F32, 2, 1>()},
    .fma_f16 = {half_kernel<Half, 2, 2>(), half_kernel<Half, 4, 1>()},
    .matrix_unit = {matrix_unit_kernel<Unit, 1, 4>(), matrix_unit_kernel<Unit, 2, 2>()},
    .elementwise = elementwise_table<FourLanes>(),
};

}  // namespace

const KernelTable& avx2_kernels() { return kTable; }

}  // namespace fusecheck::engine
