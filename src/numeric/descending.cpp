// Comparisons of random terms cost a mispredicted branch each: so a radix sort, least significant digit first, or a
// network of comparisons without branches.
#include "numeric/descending.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "fusecheck/error.hpp"
#include "numeric/descending_loops.hpp"
#include "numeric/functions_dispatch.hpp"

namespace fusecheck::numeric {
namespace {

struct Term {
  std::uint32_t key;  // ascending in this is descending in magnitude
  float value;
};

}  // namespace

void sort_descending(std::vector<float>& x) {
  constexpr int digits = 4, values = 256;
  std::vector<Term> from(x.size()), to(x.size());
  std::array<std::array<std::size_t, values>, digits> count{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(x[i]) & 0x7fffffffU;
    from[i] = {~magnitude, x[i]};
    for (int d = 0; d < digits; ++d) ++count[static_cast<std::size_t>(d)][from[i].key >> (8 * d) & 0xff];
  }
  for (int d = 0; d < digits; ++d) {
    std::array<std::size_t, values>& begin = count[static_cast<std::size_t>(d)];
    std::size_t total = 0;
    for (std::size_t& n : begin) {
      const std::size_t next = total + n;
      n = total;
      total = next;
    }
    for (const Term& term : from) to[begin[term.key >> (8 * d) & 0xff]++] = term;
    from.swap(to);
  }
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = from[i].value;
}

namespace {

// All rows at once, and by row at last: the tables of a digit cost as much as a hundred terms.
std::vector<double> sorted_rows(std::span<const double> x, std::size_t length) {
  struct Place {
    std::uint32_t key, index;
  };
  constexpr int digits = 3, bits = 11;
  constexpr std::uint32_t last = (1U << bits) - 1;
  std::vector<Place> from(x.size()), to(x.size());
  std::vector<std::uint32_t> count(digits << bits, 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(static_cast<float>(x[i])) & 0x7fffffffU;
    from[i] = {~magnitude & 0x7fffffffU, static_cast<std::uint32_t>(i)};
    for (int d = 0; d < digits; ++d)
      ++count[(static_cast<std::uint32_t>(d) << bits) + (from[i].key >> (bits * d) & last)];
  }
  for (int d = 0; d < digits; ++d) {
    std::uint32_t* const begin = count.data() + (static_cast<std::size_t>(d) << bits);
    std::uint32_t total = 0;
    for (std::uint32_t v = 0; v <= last; ++v) {
      const std::uint32_t here = begin[v];
      begin[v] = total;
      total += here;
    }
    for (const Place& place : from) to[begin[place.key >> (bits * d) & last]++] = place;
    from.swap(to);
  }
  std::vector<std::size_t> next(x.size() / length);
  for (std::size_t row = 0; row < next.size(); ++row) next[row] = row * length;
  std::vector<double> sorted(x.size());
  for (const Place& place : from) sorted[next[place.index / length]++] = x[place.index];
  return sorted;
}

void add_long_rows(std::span<const double> terms, std::size_t length, std::span<float> totals) {
  const std::vector<double> sorted = sorted_rows(terms, length);
  for (std::size_t row = 0; row < totals.size(); ++row) {
    float total = totals[row];
    for (const double term : std::span(sorted).subspan(row * length, length)) {
      total = static_cast<float>(static_cast<double>(total) + term);
    }
    totals[row] = total;
  }
}

const DescendingLoops& loops_baseline() {
  static constexpr DescendingLoops loops = descending_loops_here();
  return loops;
}

const DescendingLoops& best_loops() {
  static const DescendingLoops& best = best_of(loops_baseline, descending_loops_avx2, descending_loops_avx512);
  return best;
}

// The rows behind the last eight are filled up with rows of zeros.
void add_short_rows(std::span<const double> terms, std::size_t length, std::span<float> totals) {
  std::vector<DescendingKeys> keys(length);
  const std::size_t whole = totals.size() / descending_rows * descending_rows;
  for (std::size_t row = 0; row < whole; row += descending_rows) {
    best_loops().add_rows(terms.data() + row * length, length, keys.data(), totals.data() + row);
  }
  if (whole == totals.size()) return;
  std::vector<double> rows(length * descending_rows, 0.0);
  std::array<float, descending_rows> sums = {};
  std::copy(terms.begin() + static_cast<std::ptrdiff_t>(whole * length), terms.end(), rows.begin());
  std::copy(totals.begin() + static_cast<std::ptrdiff_t>(whole), totals.end(), sums.begin());
  best_loops().add_rows(rows.data(), length, keys.data(), sums.data());
  std::copy_n(sums.begin(), totals.size() - whole, totals.begin() + static_cast<std::ptrdiff_t>(whole));
}

}  // namespace

void add_rows_descending(std::span<const double> terms, std::size_t length, std::span<float> totals) {
  if (terms.size() != length * totals.size()) {
    internal_error("add_rows_descending: " + std::to_string(terms.size()) + " terms for " +
                   std::to_string(totals.size()) + " rows of " + std::to_string(length));
  }
  if (length == 0) return;
  (length <= longest_short_row ? add_short_rows : add_long_rows)(terms, length, totals);
}

}  // namespace fusecheck::numeric
