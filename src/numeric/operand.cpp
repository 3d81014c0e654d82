#include "numeric/operand.hpp"

#include <cmath>
#include <limits>

namespace fusecheck::numeric {

double rounded_operand(double x, int fraction_bits) {
  if (x == 0 || !std::isfinite(x)) return x;
  constexpr int smallest_exponent = -126;
  const int exponent = std::ilogb(x);
  const int unit = (exponent < smallest_exponent ? smallest_exponent : exponent) - fraction_bits;
  const double units = std::floor(std::ldexp(std::fabs(x), -unit) + 0.5);  // below 2^12: 0.5 more is exact
  const double rounded = std::ldexp(units, unit);
  const double limited = rounded < 0x1p128 ? rounded : std::numeric_limits<double>::infinity();
  return std::copysign(limited, x);
}

}  // namespace fusecheck::numeric
