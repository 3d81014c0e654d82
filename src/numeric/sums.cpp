// The plain scalar definition of each order of summation.
#include "numeric/sums.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "fusecheck/error.hpp"
#include "numeric/binary64.hpp"

namespace fusecheck::numeric {
namespace {

// p + s to 53 bits, rounded to odd: one more rounding to p <= 51 bits then gives what a single rounding would
// (S. Boldo, G. Melquiond, "Emulation of a FMA and correctly rounded sums", IEEE TC 57(4), 2008).
double add_to_odd(double p, double s) {
  const double sum = p + s;
  const double virtual_s = sum - p;
  const double error = (p - (sum - virtual_s)) + (s - virtual_s);  // exact: Knuth's TwoSum
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(sum);
  // An infinite or NaN sum makes the error NaN.
  const bool inexact = error < 0 || error > 0;
  if (!inexact || bits % 2 == 1) return sum;
  const bool away_from_zero = is_negative(error) == is_negative(sum);
  return std::bit_cast<double>(away_from_zero ? bits + 1 : bits - 1);
}

// The two accumulators. Operands of f16 are f16 values; products of f32 values are exact in f64.
struct F32 {
  static float multiply(float a, float b) { return a * b; }
  static float add(float a, float b) { return a + b; }
  static float multiply_add(float a, float b, float s) { return std::fma(a, b, s); }
};
struct F16 {
  static float store(double x) { return static_cast<float>(round_to(DType::f16, x)); }
  static float multiply(float a, float b) { return store(static_cast<double>(a) * static_cast<double>(b)); }
  static float add(float a, float b) { return store(static_cast<double>(a) + static_cast<double>(b)); }
  static float multiply_add(float a, float b, float s) {
    return store(add_to_odd(static_cast<double>(a) * static_cast<double>(b), static_cast<double>(s)));
  }
};

using Terms = std::span<const float>;

template <typename Arithmetic>
float chain(Terms a, Terms b, float s) {
  for (std::size_t k = 0; k < a.size(); ++k) s = Arithmetic::multiply_add(a[k], b[k], s);
  return s;
}

template <typename Arithmetic>
float reversed_chain(Terms a, Terms b, float s) {
  for (std::size_t k = a.size(); k-- > 0;) s = Arithmetic::multiply_add(a[k], b[k], s);
  return s;
}

// The products, each rounded once, padded with +0 to a multiple of `block`.
template <typename Arithmetic>
std::vector<float> products(Terms a, Terms b, std::size_t block) {
  std::vector<float> p((a.size() + block - 1) / block * block, 0.0F);
  for (std::size_t k = 0; k < a.size(); ++k) p[k] = Arithmetic::multiply(a[k], b[k]);
  return p;
}

template <typename Arithmetic>
float tree(Terms p) {
  if (p.size() == 1) return p[0];
  const std::size_t half = std::bit_floor(p.size() - 1);
  return Arithmetic::add(tree<Arithmetic>(p.first(half)), tree<Arithmetic>(p.subspan(half)));
}

template <typename Arithmetic>
float pairwise(Terms a, Terms b, float c) {
  if (a.empty()) return c;
  return Arithmetic::add(tree<Arithmetic>(products<Arithmetic>(a, b, 1)), c);
}

template <typename Arithmetic>
float blocked(Terms a, Terms b, float c) {
  constexpr std::size_t block = 16;
  const std::vector<float> p = products<Arithmetic>(a, b, block);
  float s = c;
  for (std::size_t k = 0; k < p.size(); k += block) {
    s = Arithmetic::add(s, tree<Arithmetic>(Terms(p).subspan(k, block)));
  }
  return s;
}

template <typename Arithmetic>
float split(Terms a, Terms b, float c, int parts) {
  if (parts < 1) internal_error("split_k with " + std::to_string(parts) + " parts");
  const std::size_t count = static_cast<std::size_t>(parts);
  const std::size_t chunk = std::max<std::size_t>((a.size() + count - 1) / count, 1);
  float s = c;
  for (std::size_t k = 0; k < a.size(); k += chunk) {
    const std::size_t size = std::min(chunk, a.size() - k);
    s = Arithmetic::add(s, chain<Arithmetic>(a.subspan(k, size), b.subspan(k, size), 0.0F));
  }
  return s;
}

float stepped(Terms a, Terms b, float c, const MatrixUnit& unit, DType accumulate) {
  const std::size_t group = static_cast<std::size_t>(unit.products);
  float s = c;
  for (std::size_t k = 0; k < a.size(); k += group) {
    const std::size_t size = std::min(group, a.size() - k);
    s = matrix_unit_step(a.subspan(k, size), b.subspan(k, size), s, unit, accumulate);
  }
  return s;
}

template <typename Arithmetic>
float dot_in(Terms a, Terms b, float c, const SumOrder& order, DType accumulate) {
  switch (order.kind) {
    case SumKind::sequential:
      return chain<Arithmetic>(a, b, c);
    case SumKind::reversed:
      return reversed_chain<Arithmetic>(a, b, c);
    case SumKind::pairwise:
      return pairwise<Arithmetic>(a, b, c);
    case SumKind::block16:
      return blocked<Arithmetic>(a, b, c);
    case SumKind::split_k:
      return split<Arithmetic>(a, b, c, order.parts);
    case SumKind::matrix_unit:
      return stepped(a, b, c, order.unit, accumulate);
  }
  internal_error("unknown order of summation");
}

float dot_as(Terms a, Terms b, float c, const SumOrder& order, DType accumulate) {
  if (a.size() != b.size()) {
    internal_error("dot: " + std::to_string(a.size()) + " values of a against " + std::to_string(b.size()) + " of b");
  }
  if (accumulate != DType::f32 && accumulate != DType::f16) {
    internal_error("dot: no accumulator of type " + std::string(name_of(accumulate)));
  }
  const float s =
      accumulate == DType::f16 ? dot_in<F16>(a, b, c, order, accumulate) : dot_in<F32>(a, b, c, order, accumulate);
  return s != s ? canonical_nan_f32 : s;
}

}  // namespace

float dot(std::span<const float> a, std::span<const float> b, float c, const SumOrder& order) {
  return dot_as(a, b, c, order, DType::f32);
}

float dot_f16(std::span<const float> a, std::span<const float> b, float c) {
  return dot_as(a, b, c, {.kind = SumKind::sequential}, DType::f16);
}

namespace {

// A chain of plain additions: what fused multiplication by 1 gives, without a call for each term.
float plain_chain(std::span<const float> x) {
  float s = 0;
  for (const float term : x) s += term;
  return s;
}

float plain_reversed_chain(std::span<const float> x) {
  float s = 0;
  for (std::size_t i = x.size(); i-- > 0;) s += x[i];
  return s;
}

float plain_split(std::span<const float> x, std::size_t parts) {
  const std::size_t chunk = std::max<std::size_t>((x.size() + parts - 1) / parts, 1);
  float s = 0;
  for (std::size_t k = 0; k < x.size(); k += chunk) s += plain_chain(x.subspan(k, std::min(chunk, x.size() - k)));
  return s;
}

}  // namespace

float sum(std::span<const float> x, const SumOrder& order, DType accumulate) {
  const auto canonical = [](float s) { return s != s ? canonical_nan_f32 : s; };
  const bool plain = accumulate == DType::f32;
  if (plain && order.kind == SumKind::sequential) return canonical(plain_chain(x));
  if (plain && order.kind == SumKind::reversed) return canonical(plain_reversed_chain(x));
  if (plain && order.kind == SumKind::split_k && order.parts > 0) {
    return canonical(plain_split(x, static_cast<std::size_t>(order.parts)));
  }
  const std::vector<float> ones(x.size(), 1.0F);
  return dot_as(x, ones, 0.0F, order, accumulate);
}

DoubleDouble exact_sum(std::span<const double> x) {
  DoubleDouble total;
  for (const double term : x) {
    // TwoSum into the high part; what it loses goes into the low part, and both are normalised again (FastTwoSum).
    const double high = total.high + term;
    const double virtual_term = high - total.high;
    const double lost = (total.high - (high - virtual_term)) + (term - virtual_term);
    const double low = total.low + lost;
    total.high = high + low;
    total.low = low - (total.high - high);
    // Infinity or NaN: the high part says so, and the low part has nothing to add.
    if (!(absolute(total.high) < infinity)) total = {.high = high, .low = 0};
  }
  if (total.high != total.high) return {.high = canonical_nan, .low = 0};
  return total;
}

}  // namespace fusecheck::numeric
