#include "run/real_arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fusecheck::run {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// u of f32, with room for the f64 roundings of v, low and high themselves (2^-52 each, and their products).
constexpr double u = 0x1p-24 * (1 + 0x1p-20);
constexpr double smallest = 0x1p-149;  // one f32 subnormal step

constexpr double largest = 0x1.fffffep127;     // of f32

// NaN where either is NaN: an end that 0·Inf or Inf/Inf makes says nothing, whatever the other products are.
double lesser(double a, double b) { return a < b || a != a ? a : b; }
double greater(double a, double b) { return a > b || a != a ? a : b; }

// Low and high of one operation from those of its operands.
struct Ends {
  double low, high;
};

struct Add {
  static double value(double a, double b) { return a + b; }
  static Ends ends(double al, double ah, double bl, double bh) { return {al + bl, ah + bh}; }
  static double magnitude(double ma, double mb, double) { return ma + mb; }
};
struct Subtract {
  static double value(double a, double b) { return a - b; }
  static Ends ends(double al, double ah, double bl, double bh) { return {al - bh, ah - bl}; }
  static double magnitude(double ma, double mb, double) { return ma + mb; }
};
struct Multiply {
  static double value(double a, double b) { return a * b; }
  static Ends ends(double al, double ah, double bl, double bh) {
    const double p = al * bl, q = al * bh, r = ah * bl, s = ah * bh;
    return {lesser(lesser(p, q), lesser(r, s)), greater(greater(p, q), greater(r, s))};
  }
  static double magnitude(double ma, double mb, double) { return ma * mb; }
};
struct Divide {
  static double value(double a, double b) { return a / b; }
  static Ends ends(double al, double ah, double bl, double bh) {
    if (bl <= 0 && bh >= 0 && bl != bh) return {-infinity, infinity};
    const double p = al / bl, q = al / bh, r = ah / bl, s = ah / bh;
    return {lesser(lesser(p, q), lesser(r, s)), greater(greater(p, q), greater(r, s))};
  }
  // |a|/|b|, each with its own relative magnitude: m_a·m_b/b².
  static double magnitude(double ma, double mb, double b) { return ma * mb / (b * b); }
};

// Widens [low, high] by one rounding to f32; exactly representable values of exact operands stay points.
template <class Op>
Real evaluate(const Real& a, const Real& b, bool intervals) {
  const std::size_t n = a.size();
  const double* av = a.v->data();
  const double* bv = b.v->data();
  std::vector<double> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = Op::value(av[i], bv[i]);
  Real out;
  out.rigorous = std::max(a.rigorous, b.rigorous);
  out.f64_share = std::max({a.f64_share, b.f64_share, 0x1p-28});  // 2^-53·|v| against at least 2^-24·|v|, twice over
  if (!intervals) {
    out.v = share(std::move(v));
    return out;
  }
  const double* al = a.lows().data();
  const double* ah = a.highs().data();
  const double* bl = b.lows().data();
  const double* bh = b.highs().data();
  std::vector<double> low(n);
  std::vector<double> high(n);
  double width = 0;
  double added = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Ends ends = Op::ends(al[i], ah[i], bl[i], bh[i]);
    const double reach = greater(std::fabs(ends.low), std::fabs(ends.high));
    const bool point = ends.low == ends.high && static_cast<double>(static_cast<float>(v[i])) == v[i];
    const double e = point ? 0 : u * reach + smallest;
    // A bound that is NaN (Inf - Inf, 0·Inf) says nothing, unless the value is NaN itself.
    const bool nan = v[i] != v[i];
    const double lo = ends.low - e;
    const double hi = ends.high + e;
    // Beyond the largest f32 value a kernel that rounds this edge holds an infinity.
    low[i] = nan ? v[i] : lo >= -largest && lo <= v[i] ? lo : -infinity;
    high[i] = nan ? v[i] : hi <= largest && hi >= v[i] ? hi : infinity;
    added += e < infinity ? e : 0;
    const double half = (hi - lo) / 2;
    width += half < infinity ? half : 0;
  }
  out.v = share(std::move(v));
  if (!(width > 0) && added == 0) {
    bool same = true;
    for (std::size_t i = 0; i < n; ++i) same = same && (low[i] == high[i] || low[i] != low[i]);
    if (same) return out;
  }
  out.low = share(std::move(low));
  out.high = share(std::move(high));
  // One rounding errs by a quarter of a unit in the last place on average, about 0.36·u·|v|, and all elements of a
  // channel may share the rounding of one factor: taken as half.
  const double part = width > 0 ? lesser(1, added / width) : 1;
  const auto mixed = [&](double x, double y) { return part * 0.5 + (1 - part) * greater(x, y); };
  out.typical = mixed(a.typical, b.typical);
  out.bias = mixed(a.bias, b.bias);
  out.rms = mixed(a.rms, b.rms);
  return out;
}

template <class Op>
Real with_magnitude(const Real& a, const Real& b, bool intervals, bool magnitudes) {
  Real out = evaluate<Op>(a, b, intervals);
  if (!magnitudes) return out;
  std::vector<double> m(out.size());
  for (std::size_t i = 0; i < m.size(); ++i) {
    const double ma = a.magnitude == nullptr ? std::fabs((*a.v)[i]) : (*a.magnitude)[i];
    const double mb = b.magnitude == nullptr ? std::fabs((*b.v)[i]) : (*b.magnitude)[i];
    m[i] = Op::magnitude(ma, mb, (*b.v)[i]);
  }
  out.magnitude = share(std::move(m));
  return out;
}

Real map(const Real& x, auto function) {
  const auto one = [&](const std::vector<double>& in) {
    std::vector<double> values(in.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = function(in[i]);
    return values;
  };
  Real out = x;
  out.before = nullptr;
  out.contraction = nullptr;
  out.v = share(one(*x.v));
  if (!x.exact()) {
    out.low = share(one(*x.low));
    out.high = share(one(*x.high));
  }
  return out;
}

// An interval of everything includes NaN, which relu passes on: it stays one.
Real rectified(const Real& x) {
  Real out = map(x, [](double value) { return value > 0 ? value : value == value ? 0.0 : value; });
  if (x.exact()) return out;
  std::vector<double> low = *out.low;
  for (std::size_t i = 0; i < low.size(); ++i) {
    if ((*x.low)[i] == -infinity && (*x.high)[i] == infinity) low[i] = -infinity;
  }
  out.low = share(std::move(low));
  return out;
}

Real negated(const Real& x) {
  Real out = map(x, [](double value) { return -value; });
  std::swap(out.low, out.high);
  return out;
}

Real square_root(const Real& x, bool intervals) {
  Real root = map(x, [](double value) { return std::sqrt(value); });
  if (!x.exact()) {  // below 0 the low end stops at 0; a value below 0 gives NaN
    std::vector<double> low = *root.low;
    for (std::size_t i = 0; i < low.size(); ++i) {
      if (low[i] != low[i] && (*root.v)[i] == (*root.v)[i]) low[i] = 0;
    }
    root.low = share(std::move(low));
  }
  if (x.magnitude != nullptr) {  // relative magnitude as that of the operand
    std::vector<double> m(x.size());
    for (std::size_t i = 0; i < m.size(); ++i) m[i] = (*x.magnitude)[i] / greater((*root.v)[i], 0x1p-1000);
    root.magnitude = share(std::move(m));
  }
  Real one;
  one.v = share(std::vector<double>(x.size(), 1));
  Real rounded = evaluate<Multiply>(root, one, intervals);  // one more rounding
  rounded.magnitude = root.magnitude;
  return rounded;
}

}  // namespace

Real apply(Unary op, const Real& x, bool intervals) {
  if (op == Unary::negate) return negated(x);
  if (op == Unary::square_root) return square_root(x, intervals);
  if (op == Unary::relu) return rectified(x);
  Real mask = map(x, [](double value) { return value > 0 ? 1.0 : 0.0; });
  mask.magnitude = nullptr;
  if (!mask.exact() && *mask.low == *mask.high) mask.low = mask.high = nullptr;
  return mask;
}

Real apply(Binary op, const Real& a, const Real& b, bool intervals, bool magnitudes) {
  if (op == Binary::add) return with_magnitude<Add>(a, b, intervals, magnitudes);
  if (op == Binary::subtract) return with_magnitude<Subtract>(a, b, intervals, magnitudes);
  if (op == Binary::multiply) return with_magnitude<Multiply>(a, b, intervals, magnitudes);
  return with_magnitude<Divide>(a, b, intervals, magnitudes);
}

}  // namespace fusecheck::run
