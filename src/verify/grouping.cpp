// Group numbers by the caller's list or by the value of truth.
#include "verify/grouping.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include "fusecheck/error.hpp"

namespace fusecheck::verify {
namespace {

// Numbers values in order of first appearance: a hash table with linear probing, at most half full. Value is float
// where that holds every value of the type, which halves the table.
template <typename Value, typename Bits>
class ByValue {
 public:
  explicit ByValue(std::size_t n) {
    const int bits = static_cast<int>(std::bit_width(2 * n));
    slots_.assign(std::size_t{1} << bits, {0, no_group});
    shift_ = 64 - bits;
  }

  // Asks for the memory that number_of(truth) is going to read.
  void expect(double truth) const { __builtin_prefetch(&slots_[place_of(value_of(truth))], 1); }

  std::int32_t number_of(double truth) {
    const Value value = value_of(truth);
    std::size_t at = place_of(value);
    for (; slots_[at].number != no_group; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].value == value) return slots_[at].number;
    }
    slots_[at] = {value, count_};
    return count_++;
  }

 private:
  struct Slot {
    Value value;
    std::int32_t number;
  };
  static Value value_of(double truth) { return static_cast<Value>(truth == 0 ? 0.0 : truth); }
  // Fibonacci hashing (Knuth, TAOCP 3, 6.4): the high bits of the product with 2^64 divided by the golden ratio.
  std::size_t place_of(Value value) const {
    return static_cast<std::size_t>((std::bit_cast<Bits>(value) * std::uint64_t{0x9e3779b97f4a7c15}) >> shift_);
  }
  std::vector<Slot> slots_;
  int shift_ = 0;
  std::int32_t count_ = 0;
};

// The same for 16-bit types, whose values are few enough to be places in a table: sign, exponent and fraction, from the
// smallest subnormal on, and one more for 0.
class ByPattern {
 public:
  explicit ByPattern(DType dtype) {
    const FormatInfo& format = format_of(dtype);
    fraction_bits_ = format.precision - 1;
    lowest_ = static_cast<std::int64_t>(1023 + format.emin - fraction_bits_) << fraction_bits_;
    half_ = (static_cast<std::int64_t>(1023 + format.emax + 1) << fraction_bits_) - lowest_;
    numbers_.assign(static_cast<std::size_t>(2 * half_ + 1), no_group);
  }

  std::int32_t number_of(double truth) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(truth), magnitude = bits << 1 >> 1;
    const std::int64_t place =
        std::min(static_cast<std::int64_t>(magnitude >> (52 - fraction_bits_)) - lowest_, half_ - 1);
    std::int32_t& number =
        numbers_[static_cast<std::size_t>(place < 0 ? 2 * half_ : place + (bits >> 63 != 0 ? half_ : 0))];
    const bool first = number == no_group;  // no branch: on drawn data nobody could predict it
    number = first ? count_ : number;
    count_ += first ? 1 : 0;
    return number;
  }

 private:
  int fraction_bits_ = 0;
  std::int64_t lowest_ = 0, half_ = 0;
  std::vector<std::int32_t> numbers_;
  std::int32_t count_ = 0;
};

class ByList {
 public:
  explicit ByList(std::size_t n) : number_(n, no_group) {}

  std::int32_t number_of(std::int32_t given, std::size_t element) {
    if (given < 0 || static_cast<std::size_t>(given) >= number_.size()) {
      internal_error("judge: group " + std::to_string(given) + " of element " + std::to_string(element) +
                     " is not a number from 0 to n-1");
    }
    std::int32_t& number = number_[static_cast<std::size_t>(given)];
    if (number == no_group) number = count_++;
    return number;
  }

 private:
  std::vector<std::int32_t> number_;
  std::int32_t count_ = 0;
};

template <typename Number>
Grouping number_all(std::vector<std::int32_t> group, Number number) {
  Grouping grouping{.group = std::move(group)};
  grouping.weight.assign(grouping.group.size(), 0.0);
  std::int32_t last = no_group;
  for (std::size_t i = 0; i < grouping.group.size(); ++i) {
    if (grouping.group[i] == no_group) continue;
    const std::int32_t found = grouping.group[i] = number(i);
    grouping.weight[static_cast<std::size_t>(found)] += 1;
    last = std::max(last, found);
  }
  grouping.weight.resize(static_cast<std::size_t>(last + 1));
  for (double& weight : grouping.weight) weight = 1 / weight;
  return grouping;
}

}  // namespace

Grouping group_elements(const Expected& expected, std::vector<std::int32_t> group) {
  const std::size_t n = group.size();
  if (std::ranges::all_of(group, [](std::int32_t number) { return number == no_group; })) return {std::move(group), {}};
  if (!expected.group.empty()) {
    ByList list(n);
    return number_all(std::move(group), [&](std::size_t i) { return list.number_of(expected.group[i], i); });
  }
  constexpr std::size_t few = 2048;  // the table of ByPattern costs as much as so many elements (measured)
  if (is_floating(expected.dtype) && size_of(expected.dtype) == 2 && n > few) {
    ByPattern values(expected.dtype);
    return number_all(std::move(group), [&](std::size_t i) { return values.number_of(expected.truth[i]); });
  }
  const auto number_by = [&](auto values) {
    constexpr std::size_t ahead = 16;
    return number_all(std::move(group), [&, n](std::size_t i) {
      if (i + ahead < n) values.expect(expected.truth[i + ahead]);
      return values.number_of(expected.truth[i]);
    });
  };
  if (expected.dtype == DType::f64) return number_by(ByValue<double, std::uint64_t>(n));
  return number_by(ByValue<float, std::uint32_t>(n));
}

}  // namespace fusecheck::verify
