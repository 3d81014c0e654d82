#include "verify/flipped_operands.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
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

double largest_slices(const Shape& shape, std::span<const double> squares) {
  double most = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const auto slices = std::min<std::int64_t>(3, shape[axis] / 16);
    if (slices == 0) continue;
    std::vector<double> sums = sums_along(shape, axis, squares);
    std::partial_sort(sums.begin(), sums.begin() + slices, sums.end(), std::greater<>());
    double together = 0;
    for (std::int64_t slice = 0; slice < slices; ++slice) together += sums[static_cast<std::size_t>(slice)];
    most = std::max(most, together);
  }
  return most;
}

}  // namespace fusecheck::verify
