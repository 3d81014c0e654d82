// The interface between the driver and the code for one instruction set: register tiles of an inner product
//   c[row][column] = start + Σ_k a[row + term_k]·b[k][column].
// A lane is an output, and takes its terms in the order of `term`, so all kernels of one method give the same bits.
#pragma once

#include <cstdint>

#include "engine/elementwise.hpp"

namespace fusecheck::engine {

// What the kernels of a matrix unit need besides the operands (NUMERICS.md N7).
struct MatrixUnitTile {
  const std::int8_t* a_exponent = nullptr;  // floor(log2|a|) with the layout of a; kZeroExponent for zeros
  const std::int8_t* b_exponent = nullptr;  // the same for b
  std::int32_t products = 0;                // L
  std::int32_t fraction_bits = 0;           // F
  std::int32_t min_exponent = 0;
  bool truncate = true;  // final rounding: toward zero, or to nearest even
};
inline constexpr std::int8_t kZeroExponent = -128;

template <class T>
struct Tile {
  const T* a;                // operand with its zero padding
  const std::int64_t* row;   // where each row of the tile begins in a
  const std::int64_t* term;  // where each term lies, relative to the row
  std::int64_t terms;
  const T* b;      // [terms][columns], aligned to 64 bytes
  const T* start;  // accumulators begin as start[row·start_step + column]
  std::int64_t start_step;
  const T* add_to;  // null, or what the finished accumulators are added to (after them: add_to + s)
  std::int64_t add_step;
  T* c;  // [rows][columns]
  MatrixUnitTile unit;
};

template <class T>
struct Kernel {
  void (*run)(const Tile<T>&) = nullptr;
  int rows = 0;
  int columns = 0;
};

// `wide` suits many columns, `narrow` few.
template <class T>
struct KernelPair {
  Kernel<T> wide, narrow;
};

struct KernelTable {
  KernelPair<float> fma_f32;
  KernelPair<double> fma_f64;
  KernelPair<float> block16;
  KernelPair<float> pairwise;
  KernelPair<float> fma_f16;
  KernelPair<float> matrix_unit;
  ElementwiseTable elementwise;
};

const KernelTable& scalar_kernels();
const KernelTable& avx2_kernels();
const KernelTable& avx512_kernels();

}  // namespace fusecheck::engine
