// One step of a matrix unit, in integers. The model: M. Fasi et al., "Numerical behavior of NVIDIA tensor cores", PeerJ
// CS 7:e330 (2021); its parameters for later units: arXiv 2511.10909 and 2512.07004.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>

#include "fusecheck/error.hpp"
#include "numeric/binary64.hpp"
#include "numeric/sums.hpp"

namespace fusecheck::numeric {
namespace {

constexpr int most_products = 64;
constexpr int most_fraction_bits = 40;  // 65 terms below 2^42: the sum stays below 2^53, exact in f64

// significand · 2^(exponent - fraction_bits of the significand); subnormals keep the exponent emin and a significand
// below 1, as the hardware's decoders do.
struct Operand {
  std::int64_t significand;  // signed, 23 fraction bits
  int exponent;
};

Operand decode(float x, int emin) {
  if (x == 0) return {0, 0};
  const auto [significand, exponent] = decompose(static_cast<double>(x));
  const int aligned = std::max(exponent, emin);
  // An f32 value has 24 significand bits at most, and its subnormals none below 2^(emin-23): nothing is cut.
  const auto magnitude = static_cast<std::int64_t>((significand >> 29) >> std::min(aligned - exponent, 63));
  return {is_negative(static_cast<double>(x)) ? -magnitude : magnitude, aligned};
}

struct Term {
  std::int64_t significand;
  int fraction_bits, exponent;
};

// significand · 2^(places - fraction_bits), what is below 1 dropped toward zero.
std::int64_t aligned(const Term& term, int places) {
  const int shift = places - term.fraction_bits;
  const std::int64_t magnitude = term.significand < 0 ? -term.significand : term.significand;
  const std::int64_t kept = shift >= 0 ? magnitude << shift : magnitude >> std::min(-shift, 63);
  return term.significand < 0 ? -kept : kept;
}

bool is_finite(float x) { return absolute(static_cast<double>(x)) < infinity; }

// What IEEE addition of the exact products gives once an operand is infinite or NaN. Finite products of f32 values
// cannot overflow f64.
float sum_of_specials(std::span<const float> a, std::span<const float> b, float c) {
  double s = static_cast<double>(c);
  for (std::size_t k = 0; k < a.size(); ++k) s += static_cast<double>(a[k]) * static_cast<double>(b[k]);
  return s != s ? canonical_nan_f32 : static_cast<float>(s);
}

void require_representable(std::span<const float> a, std::span<const float> b, const MatrixUnit& unit, DType out) {
  const bool unit_fits = unit.products >= 1 && unit.products <= most_products && unit.fraction_bits >= 1 &&
                         unit.fraction_bits <= most_fraction_bits;
  if (unit_fits && a.size() == b.size() && a.size() <= static_cast<std::size_t>(unit.products) &&
      (out == DType::f32 || out == DType::f16)) {
    return;
  }
  internal_error("matrix unit step of " + std::to_string(a.size()) + " and " + std::to_string(b.size()) +
                 " values into " + std::string(name_of(out)) + " with L " + std::to_string(unit.products) + ", F " +
                 std::to_string(unit.fraction_bits) + ": L is 1 to 64, F 1 to 40, and the accumulator f32 or f16");
}

}  // namespace

float matrix_unit_step(std::span<const float> a, std::span<const float> b, float c, const MatrixUnit& unit, DType out) {
  require_representable(a, b, unit, out);
  if (!std::ranges::all_of(a, is_finite) || !std::ranges::all_of(b, is_finite) || !is_finite(c)) {
    return sum_of_specials(a, b, c);
  }
  const int emin = format_of(out).emin;
  // Zero terms have no exponent, so the floor is where the search for the largest one starts.
  int largest = unit.min_exponent + (emin - format_of(DType::f32).emin);
  std::array<Term, most_products + 1> terms;
  std::size_t count = 0;
  const auto add_term = [&](const Term& term) {
    if (term.significand == 0) return;
    largest = std::max(largest, term.exponent);
    terms[count++] = term;
  };
  const Operand initial = decode(c, emin);
  add_term({initial.significand, 23, initial.exponent});
  for (std::size_t k = 0; k < a.size(); ++k) {
    const Operand x = decode(a[k], emin), y = decode(b[k], emin);
    add_term({x.significand * y.significand, 46, x.exponent + y.exponent});
  }
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += aligned(terms[i], unit.fraction_bits + terms[i].exponent - largest);
  if (sum == 0) return 0.0F;
  const double exact = static_cast<double>(sum) * power_of_two(largest - unit.fraction_bits);
  const RoundingRule rule = {.direction = out == DType::f32 ? unit.final_rounding : Rounding::nearest_even};
  return static_cast<float>(round_to(out, exact, rule));
}

}  // namespace fusecheck::numeric
