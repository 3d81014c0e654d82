// Numbers of independent groups (J7): elements of one group count once.
#pragma once

#include <cstdint>
#include <vector>

#include "fusecheck/judge.hpp"

namespace fusecheck::verify {

// Gives the elements of `expected`, asked in any order, their group numbers: 0, 1, 2 ... in order of first appearance.
class Grouping {
 public:
  explicit Grouping(const Expected& expected);
  std::int32_t group_of(std::size_t element);
  std::int32_t count() const { return count_; }

 private:
  std::int32_t by_value(double truth);
  const Expected& expected_;
  std::vector<std::int32_t> number_;  // of a caller's group; -1: not seen yet
  struct Slot {
    double truth;
    std::int32_t group;  // -1: free
  };
  std::vector<Slot> slots_;  // a power of two, at most half full, linear probing
  int shift_ = 0;
  std::int32_t count_ = 0;
};

}  // namespace fusecheck::verify
