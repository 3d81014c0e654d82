// A lowered contraction made ready for the kernels, and its evaluation. Preparing is separate from running, so that a
// benchmark can time each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/aligned_buffer.hpp"
#include "engine/contraction.hpp"
#include "engine/kernels.hpp"
#include "engine/lowering.hpp"

namespace fusecheck::engine {

// Which rows of a lowered contraction are evaluated: one list for all groups, or one for each; indices ascend.
using RowLists = std::vector<std::vector<std::int64_t>>;
RowLists all_rows(const Lowering& lowering);
inline const std::vector<std::int64_t>& rows_of(const RowLists& lists, std::int64_t group) {
  return lists[lists.size() == 1 ? 0 : static_cast<std::size_t>(group)];
}

// How a sum is cut for the kernels. Cutting a chain and storing its accumulators in between changes no bit; `restart`
// sums every block from 0 and adds the blocks in order instead, which is what split_k means.
template <class T>
struct Schedule {
  KernelPair<T> kernels;
  std::int64_t block = 1;  // terms in one call of a kernel
  bool restart = false;
  bool descending = false;
  MatrixUnit unit = {};
  bool with_exponents = false;
};
// Usage error: f16 accumulation in an order that has no definition.
Schedule<float> schedule_of(const KernelTable& table, const Arithmetic& arithmetic, std::int64_t terms);
Schedule<double> truth_schedule(const KernelTable& table);
Schedule<float> absolute_schedule(const KernelTable& table);

template <class T>
struct Packed {
  Schedule<T> schedule;
  Kernel<T> kernel;  // the one of the pair that suits the number of columns
  std::int64_t groups = 1, columns = 1, panels = 1, terms = 1;
  AlignedBuffer<T> a;  // padded
  std::int64_t a_group = 0;
  AlignedBuffer<T> b;      // [group][panel][term][kernel.columns]
  AlignedBuffer<T> start;  // [group][panel][kernel.columns]: the bias or 0
  AlignedBuffer<std::int8_t> a_exponent, b_exponent;
  std::vector<std::int64_t> term, b_term;
  RowLists row;                       // offsets in a; each list repeats its last one up to a multiple of kernel.rows
  std::vector<std::int64_t> c_begin;  // where each group begins in the result; one more for its end
  std::int64_t c_size() const { return c_begin.back(); }
};

template <class T>
Packed<T> pack(const Lowering& lowering, const RowLists& rows, const Schedule<T>& schedule, std::span<const T> a,
               std::span<const T> b, std::span<const T> bias, int threads);

// The same for another schedule or another order of the terms, from the same operands and rows: what stays is kept.
template <class T>
void repack(Packed<T>& packed, const Lowering& lowering, const RowLists& rows, const Schedule<T>& schedule,
            std::span<const T> b, std::span<const T> bias, int threads);

// c: [group][panel][row][kernel.columns], c_size() elements.
template <class T>
void run(const Packed<T>& packed, int threads, T* c);

// The elements of c in the order of the output: calls store(position, value) for each.
template <class T, class Store>
void unpack(const Lowering& lowering, const RowLists& rows, const Packed<T>& packed, const T* c, Store store) {
  constexpr std::int64_t together = 64;  // rows whose panel stays in the first-level cache
  const std::int64_t width = packed.kernel.columns;
  for (std::int64_t g = 0; g < packed.groups; ++g) {
    const std::vector<std::int64_t>& list = rows_of(rows, g);
    const std::int64_t count = static_cast<std::int64_t>(list.size());
    const std::int64_t padded = static_cast<std::int64_t>(rows_of(packed.row, g).size());
    for (std::int64_t panel = 0; panel < packed.panels; ++panel) {
      const T* from = c + packed.c_begin[static_cast<std::size_t>(g)] + panel * padded * width;
      const std::int64_t first_column = panel * width;
      const std::int64_t used = packed.columns - first_column < width ? packed.columns - first_column : width;
      for (std::int64_t first = 0; first < count; first += together) {
        const std::int64_t last = first + together < count ? first + together : count;
        for (std::int64_t column = 0; column < used; ++column) {
          const std::int64_t base = g * lowering.out_step.group + (first_column + column) * lowering.out_step.column;
          for (std::int64_t i = first; i < last; ++i) {
            store(base + lowering.out_row[static_cast<std::size_t>(list[static_cast<std::size_t>(i)])],
                  from[i * width + column]);
          }
        }
      }
    }
  }
}

}  // namespace fusecheck::engine
