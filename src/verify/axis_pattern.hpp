// What the indices of bad elements along one axis have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace fusecheck::verify {

struct Pattern {
  double share = 1;  // of the tensor that the pattern covers
  std::string text;
};

constexpr double significance = 1e-3;

// Chance that `count` elements strewn at random all fall into `share` of the tensor: share^count.
double chance(double share, std::int64_t count);

std::string ordinal(std::int64_t number);  // "16th", "2nd"

struct AxisCounts {
  std::string name;
  std::span<const std::int64_t> bad_at;  // bad elements per index
  std::int64_t bad = 0;                  // their sum
  std::int64_t elements = 0;             // of the tensor
};

// The pattern with the smallest share that chance does not explain: one or a few indices, a range, every k-th index,
// a block of a period of 8 to 64, or an index or tail that holds 90 %.
std::optional<Pattern> axis_pattern(const AxisCounts& axis);

}  // namespace fusecheck::verify
