#include "verify/flipped_operands.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace fusecheck::verify {
namespace {

std::vector<double> sums_along(const Shape& shape, std::size_t axis, std::span<const double> squares) {
  std::size_t inner = 1;
  for (std::size_t a = axis + 1; a < shape.size(); ++a) inner *= static_cast<std::size_t>(shape[a]);
  const auto length = static_cast<std::size_t>(shape[axis]);
  std::vector<double> sums(length, 0.0);
  for (std::size_t i = 0; i < squares.size(); ++i) sums[i / inner % length] += squares[i];
  return sums;
}

}  // namespace

double largest_lump(const Shape& shape, std::span<const double> squares) {
  constexpr std::int64_t shortest = 16;  // of which one slice is no longer most of the tensor
  double most = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] < shortest) continue;
    const std::vector<double> sums = sums_along(shape, axis, squares);
    const double all = std::accumulate(sums.begin(), sums.end(), 0.0);
    most = std::max(most, *std::ranges::max_element(sums) - 2 * all / static_cast<double>(sums.size()));
  }
  return most;
}

}  // namespace fusecheck::verify
