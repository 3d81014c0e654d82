#include "run/real_function.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fusecheck::run {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = 0x1.fffffep127;  // of f32
constexpr double u = 0x1p-24 * (1 + 0x1p-20);

bool is_derivative(Function f) { return name_of(f).ends_with("_derivative"); }

bool is_monotone(Function f) {
  return !is_derivative(f) && f != Function::gelu && f != Function::gelu_tanh && f != Function::silu &&
         f != Function::mish;
}

// 1/(1 + e^-x) is 0 in f32 where e^-x overflows; an e^y that is made of a 2^n may do so a binade earlier.
constexpr double overflows_below = -0x1.601e678fc457bp6;  // -127·ln 2
bool may_vanish(Function f, double x) { return (f == Function::sigmoid || f == Function::silu) && x < overflows_below; }

// x times what may be subnormal: one step of that counts |x| times. In mish that is tanh(log1p(e^x)), three results
// that round, one after the other; in silu the quotient alone, since 1 + e^-x is no subnormal.
double underflow(Function f, double x) {
  const double roundings = f == Function::mish ? 3 : f == Function::silu ? 1 : 0;
  return 0x1p-149 * std::max(1.0, roundings * std::fabs(x));
}

// |f''| is at most this for the functions that are not monotone: gelu'' <= 2φ(0) = 0.80, silu'' <= 1/2, mish'' < 0.7;
// of the derivatives' own: gelu''' < 1.3, silu''' < 0.4, mish''' < 1, erf''' <= 4/√π = 2.26, tanh''' <= 2.
double curvature(Function f) { return is_derivative(f) ? 4 : 1; }

std::vector<double> values_of(Function f, const std::vector<double>& x) {
  std::vector<double> y(x.size());
  evaluate(f, x, y);
  return y;
}

// How much f stretches a relative error of x, by a difference quotient: the scale of magnitudes, not a bound.
double slope(Function f, double x) {
  const double h = 0x1p-20 * std::max(std::fabs(x), 0x1p-20);
  return std::fabs(evaluate(f, x + h) - evaluate(f, x - h)) / (2 * h);
}

Doubles magnitudes_of(Function f, const Real& x, const std::vector<double>& y) {
  std::vector<double> m(y.size());
  for (std::size_t i = 0; i < m.size(); ++i) {
    const double operand = x.magnitude == nullptr ? std::fabs((*x.v)[i]) : (*x.magnitude)[i];
    const double stretched = slope(f, (*x.v)[i]) * operand;
    m[i] = std::fabs(y[i]) + (std::isfinite(stretched) ? stretched : 0);
  }
  return share(std::move(m));
}

}  // namespace

// ULPs of exp, log, tanh, erf, sqrt and rsqrt: the OpenCL C 3.0 specification, section 7.4, single precision (3, 3, 5,
// 16, 3 and 2); a ULP is at most 2u·|f|. The others are those of their formula in f32, each operation 1u:
//   sigmoid    1/(1 + e^-x):         exp 6u·(e^-x/(1 + e^-x)), sum 1u, quotient 5u (2.5 ULP)
//   silu       x·sigmoid(x):         1u more
//   gelu       x·(1 + erf(x/√2))/2:  |x|/2·(32u·|erf| + 2u·z·erf'(z) + 1u), product 2u; 1 + erf cancels below 0
//   gelu_tanh  x·(1 + tanh(y))/2:    |x|/2·(10u + 6u·y·tanh'(y) + 1u), with y·tanh'(y) < 0.45
//   softplus   max(x, 0) + log(1 + e^-|x|) by log1p: exp 6u, log 6u, sum 1u, of terms that are at most f
//   mish       x·tanh(softplus(x)):  softplus 13u stretched by at most 1, tanh 10u, product 1u
// and of their derivatives with the same parts: 1 - t² loses 2·10u·t² + 2u, s·(1 - s) 13u·s, and so on.
FunctionError legal_error(Function f) {
  switch (f) {
    case Function::exp:
    case Function::expm1:
    case Function::log:
    case Function::sqrt:
      return {6, 0, 0};
    case Function::rsqrt:
      return {4, 0, 0};
    case Function::tanh:
      return {10, 0, 0};
    case Function::erf:
      return {32, 0, 0};
    case Function::sigmoid:
      return {12, 0, 0};
    case Function::silu:
      return {14, 0, 0};
    case Function::softplus:
      return {16, 0, 0};
    case Function::mish:
      return {28, 0, 0};
    case Function::gelu:
      return {4, 0, 18};
    case Function::gelu_tanh:
      return {4, 0, 8};
    case Function::tanh_derivative:
      return {0, 24, 0};
    case Function::erf_derivative:
      return {10, 4, 0};  // e^(-x²): 2x²·u·f <= 0.74·2/√π·u
    case Function::sigmoid_derivative:
      return {26, 8, 0};
    case Function::gelu_derivative:
    case Function::gelu_tanh_derivative:
    case Function::silu_derivative:
    case Function::mish_derivative:
      return {16, 40, 0};
  }
  return {};
}

// An interval without an extremum inside has its range between the ends; one with it exceeds them by at most
// (high - low)²/8·max|f''|.
Real apply(Function f, const Real& x, const ArithmeticOptions& options) {
  Real out;
  out.rigorous = x.rigorous;
  out.f64_share = std::max(x.f64_share, 0x1p-24);  // relative_error(f) <= 2^-49 against at least 4·2^-24
  std::vector<double> v = values_of(f, *x.v);
  if (options.magnitudes) out.magnitude = magnitudes_of(f, x, v);
  if (!options.intervals) {
    out.v = share(std::move(v));
    return out;
  }
  const FunctionError error = legal_error(f);
  std::vector<double> low = x.exact() ? v : values_of(f, x.lows());
  std::vector<double> high = x.exact() ? v : values_of(f, x.highs());
  double inherited = 0, added = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (v[i] != v[i]) {
      low[i] = high[i] = v[i];
      continue;
    }
    const bool point = x.exact() || x.highs()[i] == x.lows()[i];
    const double width = point ? 0 : x.highs()[i] - x.lows()[i];
    const double zero = may_vanish(f, x.lows()[i]) ? 0 : v[i];
    const double from = std::min({low[i], v[i], high[i], zero}), to = std::max({low[i], v[i], high[i], zero});
    const double bend = is_monotone(f) ? 0 : width < infinity ? width * width / 8 * curvature(f) : width;
    const double rounding = u * (error.relative * std::max(std::fabs(from), std::fabs(to)) + error.absolute +
                                 error.by_argument * std::fabs((*x.v)[i])) +
                            underflow(f, x.lows()[i]);
    const double e = point && std::fabs((*x.v)[i]) == infinity ? 0 : rounding;  // a limit is taken for its value
    const bool nan = low[i] != low[i] || high[i] != high[i];
    const bool infinite = std::fabs(v[i]) == infinity && from == to;  // f(±Inf), log 0: no rounding makes it finite
    const double lo = infinite ? v[i] : from - bend - e, hi = infinite ? v[i] : to + bend + e;
    low[i] = infinite ? v[i] : !nan && lo >= -largest ? lo : -infinity;
    high[i] = infinite ? v[i] : !nan && hi <= largest ? hi : infinity;
    if (hi - lo < infinity) {
      inherited += (to - from) / 2;
      added += e;
    }
  }
  out.v = share(std::move(v));
  out.low = share(std::move(low));
  out.high = share(std::move(high));
  // Of the allowance a correctly rounding device uses a fifth and less; those that use it all are legal too.
  const double part = added + inherited > 0 ? added / (added + inherited) : 1;
  const auto mixed = [&](double own) { return part * 0.5 + (1 - part) * own; };
  out.typical = mixed(x.typical);
  out.bias = mixed(x.bias);
  out.rms = mixed(x.rms);
  return out;
}

}  // namespace fusecheck::run
