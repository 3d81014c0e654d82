// Correct rounding: f64 with its error bound where both ends round to one value, else about 100 bits (N11).
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>

#include "fusecheck/error.hpp"
#include "fusecheck/functions.hpp"
#include "numeric/binary64.hpp"
#include "numeric/functions_accurate.hpp"

namespace fusecheck {
namespace {

// high + low rounded to odd: the double toward zero, its last bit set where something was cut. A format with at most 51
// bits then rounds it as it would the exact sum (Boldo and Melquiond 2008).
double rounded_to_odd(double high, double low) {
  const std::uint64_t pattern = std::bit_cast<std::uint64_t>(high);
  if (low == 0 || pattern % 2 == 1) return high;
  return std::bit_cast<double>(numeric::is_negative(high) == numeric::is_negative(low) ? pattern + 1 : pattern - 1);
}

double rounded_accurately(Function function, DType dtype, double x) {
  const auto [value, error] = numeric::accurate(function, x);
  const double lower = round_to(dtype, rounded_to_odd(value.high, value.low - error));
  const double upper = round_to(dtype, rounded_to_odd(value.high, value.low + error));
  if (std::bit_cast<std::uint64_t>(lower) != std::bit_cast<std::uint64_t>(upper)) {
    internal_error(std::string(name_of(function)) + " of f32 pattern " + std::to_string(bits_of(DType::f32, x)) +
                   ": 2^-90 does not decide its rounding to " + std::string(name_of(dtype)));
  }
  return lower;
}

bool has_zero_below_0(Function function) {
  return function == Function::gelu_derivative || function == Function::gelu_tanh_derivative ||
         function == Function::silu_derivative || function == Function::mish_derivative;
}

// The ends of f64's error interval, twice as wide as promised, which covers the rounding of the ends.
void ends(Function function, std::span<const double> x, std::span<double> low, std::span<double> high) {
  const double e = 2 * relative_error(function);
  evaluate(function, x, low);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double y = low[i];
    low[i] = y * (1 - e);
    high[i] = y * (1 + e);
  }
  if (!has_zero_below_0(function)) return;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(x[i] > -2 && x[i] < -0.5)) continue;
    const auto [least, greatest] = std::minmax({low[i], high[i]});
    low[i] = least - e * 0x1p-3;
    high[i] = greatest + e * 0x1p-3;
  }
}

}  // namespace

void correctly_rounded(Function function, DType dtype, std::span<const double> x, std::span<double> y) {
  if (x.size() != y.size()) {
    internal_error("correctly_rounded: " + std::to_string(x.size()) + " values into an array of " +
                   std::to_string(y.size()));
  }
  if (dtype != DType::f16 && dtype != DType::bf16 && dtype != DType::f32) {
    internal_error("correctly_rounded: " + std::string(name_of(dtype)) + " is none of f16, bf16 and f32");
  }
  constexpr std::size_t tile = 512;
  std::array<double, tile> low_buffer, high_buffer;
  for (std::size_t begin = 0; begin < x.size(); begin += tile) {
    const std::size_t n = std::min(tile, x.size() - begin);
    const std::span<double> low(low_buffer.data(), n), high(high_buffer.data(), n);
    ends(function, x.subspan(begin, n), low, high);
    round_to(dtype, std::span<const double>(low), low);
    round_to(dtype, std::span<const double>(high), high);
    for (std::size_t i = 0; i < n; ++i) {
      const bool decided = std::bit_cast<std::uint64_t>(low[i]) == std::bit_cast<std::uint64_t>(high[i]);
      y[begin + i] = decided ? low[i] : rounded_accurately(function, dtype, x[begin + i]);
    }
  }
}

}  // namespace fusecheck
