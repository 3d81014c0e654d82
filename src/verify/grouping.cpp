// Group numbers by the caller's list or by the value of truth.
#include "verify/grouping.hpp"

#include <bit>
#include <cstdint>
#include <string>

#include "fusecheck/error.hpp"

namespace fusecheck::verify {

Grouping::Grouping(const Expected& expected) : expected_(expected) {
  const std::size_t n = expected.truth.size();
  if (!expected.group.empty()) {
    number_.assign(n, -1);
    return;
  }
  const int bits = static_cast<int>(std::bit_width(2 * n));
  slots_.assign(std::size_t{1} << bits, {0, -1});
  shift_ = 64 - bits;
}

std::int32_t Grouping::group_of(std::size_t element) {
  if (expected_.group.empty()) return by_value(expected_.truth[element]);
  const std::int32_t given = expected_.group[element];
  if (given < 0 || static_cast<std::size_t>(given) >= number_.size()) {
    internal_error("judge: group " + std::to_string(given) + " of element " + std::to_string(element) +
                   " is not a number from 0 to n-1");
  }
  std::int32_t& number = number_[static_cast<std::size_t>(given)];
  if (number < 0) number = count_++;
  return number;
}

std::int32_t Grouping::by_value(double truth) {
  // Fibonacci hashing (Knuth, TAOCP 3, 6.4): the high bits of the product with 2^64 divided by the golden ratio.
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(truth == 0 ? 0.0 : truth);
  std::size_t at = static_cast<std::size_t>((bits * 0x9e3779b97f4a7c15U) >> shift_);
  while (slots_[at].group >= 0) {
    if (slots_[at].truth == truth) return slots_[at].group;
    at = (at + 1) & (slots_.size() - 1);
  }
  slots_[at] = {truth, count_};
  return count_++;
}

}  // namespace fusecheck::verify
