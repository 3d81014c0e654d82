#include "engine/by_definition.hpp"

#include <cmath>
#include <vector>

#include "engine/padded_copy.hpp"
#include "engine/workers.hpp"

namespace fusecheck::engine {

namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

template <class T>
void evaluate_by_definition(const Lowering& l, const RowLists& rows, WhichRows which, std::span<const T> a,
                            std::span<const T> b, std::span<const T> bias, const InnerProduct<T>& inner_product,
                            int threads, const std::function<void(std::int64_t, T)>& store) {
  const AlignedBuffer<T> padded = padded_copy<T>(l.a_layout, threads, [&](std::int64_t i) { return a[at(i)]; });
  const AlignedBuffer<std::uint8_t> real =
      padded_copy<std::uint8_t>(l.a_layout, threads, [](std::int64_t) { return std::uint8_t{1}; });
  for (std::int64_t g = 0; g < l.groups; ++g) {
    const std::vector<std::int64_t>& list = rows_of(rows, g);
    share(static_cast<std::int64_t>(list.size()), threads, [&](std::int64_t begin, std::int64_t end) {
      std::vector<T> x(l.term.size()), w(l.term.size());
      std::vector<std::uint8_t> inside(l.term.size());
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t row = list[at(i)], base = g * l.a_group + l.row[at(row)];
        bool padding = false;
        for (std::size_t k = 0; k < x.size(); ++k) {
          x[k] = padded.data()[base + l.term[k]];
          inside[k] = real.data()[base + l.term[k]];
          padding = padding || inside[k] == 0;
        }
        if (which == WhichRows::with_padding && !padding) continue;
        for (std::int64_t n = 0; n < l.columns; ++n) {
          const T* column = b.data() + g * l.b_step.group + n * l.b_step.column;
          for (std::size_t k = 0; k < w.size(); ++k) {
            const T value = column[l.b_term[k]];
            w[k] = inside[k] == 0 && !std::isfinite(value) ? T(0) : value;
          }
          const T c = bias.empty() ? T(0) : bias[at(g * l.columns + n)];
          store(g * l.out_step.group + n * l.out_step.column + l.out_row[at(row)], inner_product(x, w, c));
        }
      }
    });
  }
}

template void evaluate_by_definition(const Lowering&, const RowLists&, WhichRows, std::span<const float>,
                                     std::span<const float>, std::span<const float>, const InnerProduct<float>&, int,
                                     const std::function<void(std::int64_t, float)>&);
template void evaluate_by_definition(const Lowering&, const RowLists&, WhichRows, std::span<const double>,
                                     std::span<const double>, std::span<const double>, const InnerProduct<double>&, int,
                                     const std::function<void(std::int64_t, double)>&);

}  // namespace fusecheck::engine
