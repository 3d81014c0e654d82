// A radix sort, least significant byte first: comparisons of random terms cost a mispredicted branch each.
#include "numeric/descending.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

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

void sort_descending(std::vector<float>& x) { sort(x); }
void sort_descending(std::vector<double>& x) { sort(x); }

}  // namespace fusecheck::numeric
