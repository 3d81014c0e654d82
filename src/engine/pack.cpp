#include <algorithm>

#include "engine/matrix_unit_range.hpp"
#include "engine/packed.hpp"
#include "engine/padded_copy.hpp"
#include "engine/workers.hpp"

namespace fusecheck::engine {

namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// [group][panel][term][width]; columns beyond the last are 0.
template <class T>
AlignedBuffer<T> pack_b(const Lowering& l, const std::vector<std::int64_t>& b_term, std::int64_t panels,
                        std::int64_t width, std::span<const T> b, int threads) {
  const std::int64_t terms = l.terms(), panel_size = terms * width;
  AlignedBuffer<T> packed(l.groups * panels * panel_size);
  constexpr std::int64_t together = 16;  // terms: their reads and writes stay in the first-level cache
  const std::int64_t strips = (terms + together - 1) / together;
  share(l.groups * panels * strips, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t panel = i / strips % panels, group = i / strips / panels;
      const std::int64_t first = i % strips * together, last = std::min(first + together, terms);
      T* to = packed.data() + (group * panels + panel) * panel_size;
      for (std::int64_t column = 0; column < width; ++column) {
        const std::int64_t n = panel * width + column;
        if (n >= l.columns) {
          for (std::int64_t k = first; k < last; ++k) to[k * width + column] = T(0);
          continue;
        }
        const T* from = b.data() + group * l.b_step.group + n * l.b_step.column;
        for (std::int64_t k = first; k < last; ++k) to[k * width + column] = from[b_term[at(k)]];
      }
    }
  });
  return packed;
}

template <class T>
AlignedBuffer<T> pack_start(const Lowering& l, std::int64_t panels, std::int64_t width, std::span<const T> bias) {
  AlignedBuffer<T> start(l.groups * panels * width);
  std::fill(start.data(), start.data() + start.size(), T(0));
  if (bias.empty()) return start;
  for (std::int64_t group = 0; group < l.groups; ++group) {
    const T* from = bias.data() + group * l.columns;
    std::copy(from, from + l.columns, start.data() + group * panels * width);
  }
  return start;
}

void add_exponents(Packed<float>& p) {
  p.a_exponent = AlignedBuffer<std::int8_t>(p.a.size());
  p.b_exponent = AlignedBuffer<std::int8_t>(p.b.size());
  exponents_of(p.a.data(), p.a.size(), p.a_exponent.data());
  exponents_of(p.b.data(), p.b.size(), p.b_exponent.data());
}
void add_exponents(Packed<double>&) {}  // no matrix unit here works in f64

RowLists row_offsets(const Lowering& l, const RowLists& rows, std::int64_t tile) {
  RowLists offsets;
  for (const std::vector<std::int64_t>& list : rows) {
    std::vector<std::int64_t> of_list;
    of_list.reserve(list.size() + at(tile));
    for (const std::int64_t r : list) of_list.push_back(l.row[at(r)]);
    while (of_list.size() % at(tile) != 0) of_list.push_back(of_list.back());
    offsets.push_back(std::move(of_list));
  }
  return offsets;
}

}  // namespace

RowLists all_rows(const Lowering& lowering) {
  std::vector<std::int64_t> rows(lowering.row.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int64_t>(i);
  return {std::move(rows)};
}

template <class T>
void repack(Packed<T>& p, const Lowering& lowering, const RowLists& rows, const Schedule<T>& schedule,
            std::span<const T> b, std::span<const T> bias, int threads) {
  const KernelPair<T>& pair = schedule.kernels;
  p.schedule = schedule;
  p.kernel = lowering.columns <= pair.narrow.columns ? pair.narrow : pair.wide;
  const std::int64_t panels = (lowering.columns + p.kernel.columns - 1) / p.kernel.columns;
  std::vector<std::int64_t> term = lowering.term, b_term = lowering.b_term;
  if (schedule.descending) {
    std::ranges::reverse(term);
    std::ranges::reverse(b_term);
  }
  const bool same_b =
      p.b.size() == p.groups * panels * std::ssize(term) * p.kernel.columns && p.panels == panels && p.b_term == b_term;
  p.panels = panels;
  p.terms = lowering.terms();
  p.term = std::move(term);
  p.b_term = std::move(b_term);
  if (!same_b) {
    p.b = pack_b(lowering, p.b_term, p.panels, p.kernel.columns, b, threads);
    p.start = pack_start(lowering, p.panels, p.kernel.columns, bias);
  }
  if (schedule.with_exponents) add_exponents(p);
  p.row = row_offsets(lowering, rows, p.kernel.rows);
  p.c_begin = {0};
  for (std::int64_t g = 0; g < p.groups; ++g) {
    const std::int64_t padded = static_cast<std::int64_t>(rows_of(p.row, g).size());
    p.c_begin.push_back(p.c_begin.back() + p.panels * padded * p.kernel.columns);
  }
}

template <class T>
Packed<T> pack(const Lowering& lowering, const RowLists& rows, const Schedule<T>& schedule, std::span<const T> a,
               std::span<const T> b, std::span<const T> bias, int threads) {
  Packed<T> p;
  p.groups = lowering.groups;
  p.columns = lowering.columns;
  p.a = padded_copy<T>(lowering.a_layout, threads, [&](std::int64_t i) { return a[at(i)]; });
  p.a_group = lowering.a_group;
  repack(p, lowering, rows, schedule, b, bias, threads);
  return p;
}

template void repack(Packed<float>&, const Lowering&, const RowLists&, const Schedule<float>&, std::span<const float>,
                     std::span<const float>, int);
template Packed<float> pack(const Lowering&, const RowLists&, const Schedule<float>&, std::span<const float>,
                            std::span<const float>, std::span<const float>, int);
template Packed<double> pack(const Lowering&, const RowLists&, const Schedule<double>&, std::span<const double>,
                             std::span<const double>, std::span<const double>, int);

}  // namespace fusecheck::engine
