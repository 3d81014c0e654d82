// ulp() of N3 for whole arrays: inline, without a call per element.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "fusecheck/dtype.hpp"
#include "verify/moments.hpp"

namespace fusecheck::verify {

// The spacing of a format at a finite value, always a power of two. Integer types are spaced by 1.
class Spacing {
 public:
  explicit Spacing(DType dtype) {
    if (!is_floating(dtype)) return;
    const FormatInfo& format = format_of(dtype);
    lowest_ = format.emin + bias;
    shift_ = format.precision - 1;
  }

  double operator()(double x) const {
    const int biased = biased_exponent(x);
    if (biased > 0) return std::bit_cast<double>(static_cast<std::uint64_t>(biased) << 52);
    return std::bit_cast<double>(std::uint64_t{1} << (51 + biased));  // below 2^-1022: f64 only
  }

  // 1 / spacing, exactly; at most 2^1022, so too small where f64 truth is below 2^-970.
  double inverse(double x) const {
    return std::bit_cast<double>(static_cast<std::uint64_t>(2 * bias - std::max(biased_exponent(x), 1)) << 52);
  }

  SpacingOf parameters() const { return {lowest_, shift_}; }

 private:
  int biased_exponent(double x) const {
    const int exponent = static_cast<int>((std::bit_cast<std::uint64_t>(x) >> 52) & 0x7ff);
    return std::max(exponent, lowest_) - shift_;
  }

  static constexpr int bias = 1023;
  // Integers: any exponent counts as `2 * bias + 1`, which the shift takes to 2^0.
  int lowest_ = 2 * bias + 1;
  int shift_ = bias + 1;
};

}  // namespace fusecheck::verify
