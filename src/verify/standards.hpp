// Named acceptance standards (one table, each with its numbers, version and source), compared in f64.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fusecheck/judge.hpp"

namespace fusecheck::verify {

struct StandardInput {
  DType dtype;
  std::span<const double> truth, actual;
  std::span<const double> third_party;  // may be empty
  const Tolerance& tolerance;
  bool places = false;  // list the elements outside, not only count them
  // Where `truth` and `actual` hold only the elements that are not equal, no rule can break on the others: all of them.
  std::span<const double> all_truth = {}, all_actual = {};

  std::int64_t size() const { return std::ssize(all_actual.empty() ? actual : all_actual); }
};

struct Outside {
  std::int64_t count = 0;
  std::vector<std::int64_t> places = {};  // ascending
};

struct StandardVerdict {
  bool judged = true;  // false: the standard lacks something it needs, and reason says what
  bool passed = true;
  std::string reason = {};  // why not; empty on pass
  Outside outside = {};     // elements outside the rule for one element
};

struct Standard {
  std::string_view name;
  int numbers;  // how many follow the colon: ulp:n 1, mixed:rtol,atol 2, else 0
  bool beside;  // shown beside the deciding one
  std::string_view rule, source;
  StandardVerdict (*apply)(const StandardInput& input);
};

std::span<const Standard> all_standards();             // without `bound`
const Standard& find_standard(std::string_view name);  // internal error when absent

// The rules, by family.
StandardVerdict apply_exact(const StandardInput& input);
StandardVerdict apply_ulp(const StandardInput& input);
StandardVerdict apply_mixed(const StandardInput& input);
StandardVerdict apply_torch(const StandardInput& input);
StandardVerdict apply_benchdnn(const StandardInput& input);
StandardVerdict apply_cann_mixed(const StandardInput& input);
StandardVerdict apply_cann_mere_mare(const StandardInput& input);
StandardVerdict apply_ascendc_sample(const StandardInput& input);
StandardVerdict apply_msprobe(const StandardInput& input);
StandardVerdict apply_cann_cross_l0(const StandardInput& input);
StandardVerdict apply_cann_cross_l1(const StandardInput& input);
StandardVerdict apply_cann_cross_l2(const StandardInput& input);

}  // namespace fusecheck::verify
