// The standard error of a mean over clusters.
#include "verify/shared_rounding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace fusecheck::verify {
namespace {

// Quantiles of Student's t with C - 1 degrees of freedom at 1 - 0.5e-7, for at least C clusters.
struct Quantile {
  std::int64_t clusters;
  double t;
};
constexpr std::array<Quantile, 4> quantiles = {{{64, 6.02}, {32, 6.90}, {16, 9.49}, {8, 22.05}}};

std::vector<double> means_along(const Shape& shape, std::size_t axis, std::span<const float> scaled) {
  const std::int64_t length = shape[axis];
  std::int64_t inner = 1;
  for (std::size_t a = axis + 1; a < shape.size(); ++a) inner *= shape[a];
  std::vector<double> means(static_cast<std::size_t>(length), 0.0);
  std::size_t at = 0;
  while (at < scaled.size()) {
    for (double& mean : means) {
      for (std::int64_t i = 0; i < inner; ++i) mean += static_cast<double>(scaled[at++]);
    }
  }
  const double members = static_cast<double>(scaled.size()) / static_cast<double>(length);
  for (double& mean : means) mean /= members;
  return means;
}

double standard_error(const std::vector<double>& means) {
  const double count = static_cast<double>(means.size());
  double mean = 0, squares = 0;
  for (const double m : means) mean += m / count;
  for (const double m : means) squares += (m - mean) * (m - mean);
  return std::sqrt(squares / (count - 1) / count);
}

bool is_channel(const std::string& name) { return name == "c" || name == "oc" || name == "ic"; }

}  // namespace

double shared_rounding_allowance(const Shape& shape, std::span<const std::string> axes, std::span<const float> scaled,
                                 double rms_limit) {
  double allowance = 0;
  if (shape.size() < 2) return allowance;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const std::int64_t length = shape[axis];
    const auto quantile = std::ranges::find_if(quantiles, [&](const Quantile& q) { return length >= q.clusters; });
    if (quantile != quantiles.end()) {
      allowance = std::max(allowance, quantile->t * standard_error(means_along(shape, axis, scaled)));
    } else if (length > 1 && is_channel(axes[axis])) {
      allowance = std::max(allowance, 4 * rms_limit / std::sqrt(static_cast<double>(length)));
    }
  }
  return allowance;
}

}  // namespace fusecheck::verify
