// The functions by MPFR, written from their definitions and not as src/ computes them.
#pragma once

#include <mpfr.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "fusecheck/functions.hpp"

namespace fusecheck::testing {

// A number of MPFR. Results have the precision of the left operand.
class Real {
 public:
  Real(double x, long precision) {
    mpfr_init2(value_, precision);
    mpfr_set_d(value_, x, MPFR_RNDN);
  }
  Real(const Real& other) {
    mpfr_init2(value_, other.precision());
    mpfr_set(value_, other.value_, MPFR_RNDN);
  }
  Real& operator=(const Real&) = delete;
  ~Real() { mpfr_clear(value_); }
  mpfr_srcptr get() const { return value_; }
  long precision() const { return mpfr_get_prec(value_); }

  using Unary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  using Binary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
  Real of(Unary function) const {
    Real y(0, precision());
    function(y.value_, value_, MPFR_RNDN);
    return y;
  }
  Real with(Binary function, const Real& other) const {
    Real y(0, precision());
    function(y.value_, value_, other.value_, MPFR_RNDN);
    return y;
  }

 private:
  mpfr_t value_;
};

inline Real operator+(const Real& a, const Real& b) { return a.with(mpfr_add, b); }
inline Real operator-(const Real& a, const Real& b) { return a.with(mpfr_sub, b); }
inline Real operator*(const Real& a, const Real& b) { return a.with(mpfr_mul, b); }
inline Real operator/(const Real& a, const Real& b) { return a.with(mpfr_div, b); }
inline Real operator*(double a, const Real& b) { return Real(a, b.precision()) * b; }
inline Real operator+(double a, const Real& b) { return Real(a, b.precision()) + b; }
inline Real operator/(double a, const Real& b) { return Real(a, b.precision()) / b; }
inline Real operator-(const Real& a) { return a.of(mpfr_neg); }

// Parts of the definitions; σ and erfc lose nothing at either end.
inline Real pi(long precision) { return 4 * Real(1, precision).of(mpfr_atan); }
inline Real sigmoid(const Real& x) { return 1 / (1 + (-x).of(mpfr_exp)); }
inline Real normal_cdf(const Real& x) { return 0.5 * (-x / Real(2, x.precision()).of(mpfr_sqrt)).of(mpfr_erfc); }
inline Real normal_density(const Real& x) {
  return (-0.5 * (x * x)).of(mpfr_exp) / (2 * pi(x.precision())).of(mpfr_sqrt);
}
inline Real kappa(long precision) { return Real(44715, precision) / Real(1000000, precision); }
inline Real two_root_two_over_pi(long precision) { return 2 * (2 / pi(precision)).of(mpfr_sqrt); }
inline Real gelu_tanh_argument(const Real& x) {
  return two_root_two_over_pi(x.precision()) * (x + kappa(x.precision()) * (x * x * x));
}
inline Real softplus(const Real& x) {
  // e^x overflows MPFR's exponents from 10^18 on; log(1 + e^x) = x + log(1 + e^-x).
  if (mpfr_cmp_d(x.get(), 1e6) > 0) return x + (-x).of(mpfr_exp);
  return x.of(mpfr_exp).of(mpfr_log1p);
}

inline bool has_zero_below_0(Function f) {
  return f == Function::gelu_derivative || f == Function::gelu_tanh_derivative || f == Function::silu_derivative ||
         f == Function::mish_derivative;
}

inline bool needs_positive(Function f) { return f == Function::log || f == Function::sqrt || f == Function::rsqrt; }
// Outside, the tests of special values are the judge.
inline bool in_domain(Function f, double x) { return std::isfinite(x) && (x > 0 || !needs_positive(f)); }

// f(x), x finite and in the domain, to within a relative 2^(8-precision); the derivatives of gelu, gelu_tanh, silu and
// mish: relative to their larger term.
inline Real by_mpfr(Function function, double argument, long precision) {
  using Definition = Real (*)(const Real&);
  static constexpr std::array<Definition, 20> definitions = {
      [](const Real& x) { return x.of(mpfr_exp); },
      [](const Real& x) { return x.of(mpfr_expm1); },
      [](const Real& x) { return x.of(mpfr_log); },
      [](const Real& x) { return x.of(mpfr_tanh); },
      [](const Real& x) { return x.of(mpfr_erf); },
      [](const Real& x) { return sigmoid(x); },
      [](const Real& x) { return x.of(mpfr_sqrt); },
      [](const Real& x) { return x.of(mpfr_rec_sqrt); },
      [](const Real& x) { return x * normal_cdf(x); },
      [](const Real& x) { return x * sigmoid(gelu_tanh_argument(x)); },
      [](const Real& x) { return x * sigmoid(x); },
      [](const Real& x) { return softplus(x); },
      [](const Real& x) { return x * softplus(x).of(mpfr_tanh); },
      [](const Real& x) { return x.of(mpfr_sech) * x.of(mpfr_sech); },
      [](const Real& x) { return 2 * (-(x * x)).of(mpfr_exp) / pi(x.precision()).of(mpfr_sqrt); },
      [](const Real& x) { return sigmoid(x) * sigmoid(-x); },
      [](const Real& x) { return normal_cdf(x) + x * normal_density(x); },
      [](const Real& x) {
        const Real g = gelu_tanh_argument(x);
        const Real slope = two_root_two_over_pi(x.precision()) * (1 + 3 * (kappa(x.precision()) * (x * x)));
        return sigmoid(g) + x * slope * (sigmoid(g) * sigmoid(-g));
      },
      [](const Real& x) { return sigmoid(x) + x * (sigmoid(x) * sigmoid(-x)); },
      [](const Real& x) {
        const Real s = softplus(x);
        return s.of(mpfr_tanh) + x * (s.of(mpfr_sech) * s.of(mpfr_sech) * sigmoid(x));
      },
  };
  // Far below 0 MPFR underflows term by term and loses the sign; at -1000 every f is below any format as well.
  const double bounded = has_zero_below_0(function) ? std::max(argument, -1000.0) : argument;
  return definitions.at(static_cast<std::size_t>(function))(Real(bounded, precision));
}

// To nearest even in a format of IEEE 754, once. The exponents of MPFR are those of the format during the call.
inline double rounded_by_mpfr(DType dtype, const Real& x) {
  const FormatInfo& f = format_of(dtype);
  const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  mpfr_t y;
  mpfr_init2(y, f.precision);
  // The exponents first would make x itself out of range; check_range rounds y into them.
  int inexact = mpfr_set(y, x.get(), MPFR_RNDN);
  mpfr_set_emin(f.emin - f.precision + 2);
  mpfr_set_emax(f.emax + 1);
  inexact = mpfr_check_range(y, inexact, MPFR_RNDN);
  mpfr_subnormalize(y, inexact, MPFR_RNDN);
  const double result = mpfr_get_d(y, MPFR_RNDN);
  mpfr_clear(y);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  return result;
}

// The environment asks for the sweeps that take minutes.
inline bool exhaustive() {
  const char* setting = std::getenv("FUSECHECK_EXHAUSTIVE");
  return setting != nullptr && std::string_view(setting) == "1";
}

inline bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

// The value of `dtype` nearest to f(x): from 128 bits, and from 800 where ±2^-110 rounds apart (for the smallest x,
// silu(x) = x/2 + x²/4 is a relative 2^-149 above a tie).
inline double nearest_by_mpfr(Function function, DType dtype, double x) {
  const Real y = by_mpfr(function, x, 128);
  const Real width = 0x1p-110 * y;
  const double below = rounded_by_mpfr(dtype, y - width), above = rounded_by_mpfr(dtype, y + width);
  return same(below, above) ? below : rounded_by_mpfr(dtype, by_mpfr(function, x, 800));
}

}  // namespace fusecheck::testing
