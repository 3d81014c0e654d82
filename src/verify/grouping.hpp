// Independent groups (J7): elements of one group count once.
#pragma once

#include <cstdint>
#include <vector>

#include "fusecheck/judge.hpp"

namespace fusecheck::verify {

constexpr std::int32_t no_group = -1;

struct Grouping {
  std::vector<std::int32_t> group = {};  // of each element: 0, 1, 2 ... in order of first appearance, or no_group
  std::vector<double> weight = {};       // of each group: 1 / its number of elements
};

// Groups the elements whose entry in `group` is not no_group, by the caller's list or else by truth. Internal error: a
// number in the caller's list that is not from 0 to n-1.
Grouping group_elements(const Expected& expected, std::vector<std::int32_t> group);

}  // namespace fusecheck::verify
