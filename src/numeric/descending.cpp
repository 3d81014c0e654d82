// A radix sort, least significant byte first: comparisons of random terms cost a mispredicted branch each.
#include "numeric/descending.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace fusecheck::numeric {
namespace {

template <class T>
struct Term {
  std::uint32_t key;  // ascending in this is descending in magnitude
  T value;
};

template <class T>
void sort(std::vector<T>& x) {
  constexpr int digits = 4, values = 256;
  std::vector<Term<T>> from(x.size()), to(x.size());
  std::array<std::array<std::size_t, values>, digits> count{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(static_cast<float>(x[i])) & 0x7fffffffU;
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
    for (const Term<T>& term : from) to[begin[term.key >> (8 * d) & 0xff]++] = term;
    from.swap(to);
  }
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = from[i].value;
}

}  // namespace

// All rows at once, and by row at last: the tables of a digit cost as much as a hundred terms.
void sort_rows_descending(std::vector<double>& x, std::size_t length) {
  if (length == 0) return;
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
  x = std::move(sorted);
}

void sort_descending(std::vector<float>& x) { sort(x); }
void sort_descending(std::vector<double>& x) { sort(x); }

}  // namespace fusecheck::numeric
