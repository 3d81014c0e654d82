// The loops of moments.hpp: included by the file of each instruction set, so no inline function of the standard library
// may be used here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "verify/moments.hpp"

// Vectors of 64 bytes are passed between functions of one file only.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace fusecheck::verify {
namespace {

typedef double D8 __attribute__((vector_size(64)));
typedef long long I8 __attribute__((vector_size(64)));
typedef std::int32_t N8 __attribute__((vector_size(32)));

constexpr double kInfinity = __builtin_inf();

inline D8 load(const double* p) {
  D8 x;
  __builtin_memcpy(&x, p, sizeof x);
  return x;
}
inline void store(double* p, const D8& x) { __builtin_memcpy(p, &x, sizeof x); }
inline I8 bits(const D8& x) { return __builtin_bit_cast(I8, x); }
inline D8 value(const I8& x) { return __builtin_bit_cast(D8, x); }
inline D8 where(const I8& mask, const D8& x) { return value(bits(x) & mask); }
inline D8 select(const I8& mask, const D8& yes, const D8& no) { return mask ? yes : no; }
inline D8 magnitude(const D8& x) { return value(bits(x) & INT64_MAX); }
inline D8 least(const D8& a, const D8& b) { return b < a ? b : a; }
inline D8 most(const D8& a, const D8& b) { return a < b ? b : a; }

// Spacing of spacing.hpp and its inverse.
struct Steps {
  D8 step, inverse;
};
inline I8 exponent_of(const SpacingOf& format, const D8& x) {
  const I8 exponent = (bits(x) >> 52) & 0x7ff;
  const I8 lowest = I8{} + format.lowest;
  return (exponent < lowest ? lowest : exponent) - format.shift;
}
inline D8 step_of(const I8& exponent) {
  const I8 tiny = exponent < 1 ? exponent : I8{};
  const I8 one = I8{} + 1;
  return value(exponent > 0 ? exponent << 52 : one << (51 + tiny));  // below 2^-1022: f64 only
}
inline Steps steps_of(const SpacingOf& format, const D8& x) {
  const I8 exponent = exponent_of(format, x), one = I8{} + 1;
  return {step_of(exponent), value((2046 - (exponent < one ? one : exponent)) << 52)};
}

struct Accumulator {
  D8 sum;
  explicit Accumulator(const Lanes8& lanes) : sum(load(lanes.at)) {}
  void finish(Lanes8& lanes) const { store(lanes.at, sum); }
};

inline void screen(const MomentRule& rule, const Elements8& x, std::int32_t* counted, Screened& sums) {
  Accumulator error(sums.truth_error), count(sums.truth_count), bound(sums.visible_bound);
  const D8 infinite = D8{} + kInfinity, one = D8{} + 1;
  for (std::size_t i = 0; i < x.n; i += moment_lanes) {
    const D8 truth = load(x.truth + i), low = load(x.low + i), high = load(x.high + i), size = magnitude(truth);
    const D8 half_width = load(x.half_width + i), actual = load(x.actual + i);
    const I8 said = (size < infinite) & ~((low == -infinite) & (high == infinite));
    const Steps steps = steps_of(rule.storage, truth);
    if (x.exact != nullptr) {
      const D8 exact = load(x.exact + i);
      const I8 checked = said & (magnitude(exact) < infinite) & (truth != 0) & (size < rule.largest);
      error.sum += where(checked, magnitude(truth - exact) * steps.inverse);
      count.sum += where(checked, one);
    }
    const D8 end = most(high - truth, truth - low) + steps.step / 2;
    bound.sum = least(bound.sum, select(said & (size > 0), end / size, infinite));
    const I8 judged = said & (half_width > 0) & (half_width < infinite) & (magnitude(actual) < infinite);
    const N8 numbers = __builtin_convertvector(rule.floating ? ~judged : ~I8{}, N8);
    __builtin_memcpy(counted + i, &numbers, sizeof numbers);
  }
  error.finish(sums.truth_error);
  count.finish(sums.truth_count);
  bound.finish(sums.visible_bound);
}

inline void moments(const MomentRule& rule, const Elements8& x, double* q_of, Moments& sums) {
  Accumulator q_sum(sums.q), q_magnitude(sums.q_magnitude), flips(sums.flips), predicted(sums.predicted);
  Accumulator near_boundary(sums.near_boundary), variance(sums.variance), bias(sums.bias);
  Accumulator rounding(sums.rounding), rounding_near(sums.rounding_near);
  Accumulator bias_magnitude(sums.bias_magnitude), counted(sums.counted), coarse(sums.coarse);
  Accumulator truth_ulp(sums.truth_ulp), element_flips(sums.element_flips), squares(sums.squares);
  Accumulator one_ulp(sums.one_ulp), element_predicted(sums.element_predicted);
  const D8 one = D8{} + 1;
  for (std::size_t i = 0; i < x.n; i += moment_lanes) {
    const D8 weight = load(x.weight + i);
    const I8 in = weight > 0;
    const D8 truth = where(in, load(x.truth + i)), half_width = where(in, load(x.half_width + i));
    const D8 actual = where(in, load(x.actual + i));
    const Steps steps = steps_of(rule.storage, truth);
    const D8 step = steps.step, unit = where(in, 1 / (half_width + step));
    const D8 q = (actual - truth) * unit, flip = where(actual != truth, one);
    store(q_of + i, q);
    q_sum.sum += weight * q;
    q_magnitude.sum += weight * select(truth < 0, -q, q);
    flips.sum += weight * flip;
    element_flips.sum += flip;
    counted.sum += where(in, one);
    coarse.sum += where(in & (half_width < 0.25 * step), one);
    truth_ulp.sum += magnitude(truth) * steps.inverse;
    squares.sum += q * q;
    const D8 square = where(in, step * unit * step * unit);
    one_ulp.sum += square;
    const D8 expected = least(one, rule.mean * half_width * steps.inverse);
    element_predicted.sum += expected;
    predicted.sum += weight * expected;
    const D8 spread = 3 * rule.rms * half_width;
    variance.sum += weight * spread * spread * unit * unit;
    rounding.sum += weight * least(3 * rule.mean * half_width, step / 4) * step * unit * unit;
    const D8 shared = step_of(exponent_of(rule.compute, truth)) / 2;
    bias.sum += weight * (3 * rule.bias * half_width + shared) * unit;
    bias_magnitude.sum += weight * (3 * rule.bias_magnitude * half_width + shared) * unit;
    if (x.exact != nullptr) {
      const D8 off = step / 2 - magnitude(where(in, load(x.exact + i)) - truth);
      const I8 near = magnitude(off) <= most(2 * rule.rms * half_width, least(half_width, shared));
      near_boundary.sum += where(near, 0.25 * weight);
      rounding_near.sum += where(near, 0.75 * weight * square);
    }
  }
  q_sum.finish(sums.q);
  q_magnitude.finish(sums.q_magnitude);
  flips.finish(sums.flips);
  predicted.finish(sums.predicted);
  near_boundary.finish(sums.near_boundary);
  variance.finish(sums.variance);
  rounding.finish(sums.rounding);
  rounding_near.finish(sums.rounding_near);
  bias.finish(sums.bias);
  bias_magnitude.finish(sums.bias_magnitude);
  counted.finish(sums.counted);
  coarse.finish(sums.coarse);
  truth_ulp.finish(sums.truth_ulp);
  element_flips.finish(sums.element_flips);
  squares.finish(sums.squares);
  one_ulp.finish(sums.one_ulp);
  element_predicted.finish(sums.element_predicted);
}

inline double largest_of(const D8& x) {
  double largest = x[0];
  for (std::size_t lane = 1; lane < moment_lanes; ++lane) largest = x[lane] > largest ? x[lane] : largest;
  return largest;
}
inline bool all(const I8& mask) {
  long long every = -1;
  for (std::size_t lane = 0; lane < moment_lanes; ++lane) every &= mask[lane];
  return every != 0;
}

inline void inspect(const MomentRule& rule, const Elements8& x, Eight* eights, Inspected& sums) {
  Accumulator flips(sums.flips), ulps(sums.ulps), magnitude_ulps(sums.magnitude_ulps), max_abs(sums.max_abs);
  Accumulator used(sums.used), limit_ulp(sums.limit_ulp), half_width_ulp(sums.half_width_ulp);
  const D8 infinite = D8{} + kInfinity, one = D8{} + 1;
  for (std::size_t i = 0; i < x.n; i += moment_lanes) {
    const D8 truth = load(x.truth + i), low = load(x.low + i), high = load(x.high + i), actual = load(x.actual + i);
    Eight& eight = eights[i / moment_lanes];
    const I8 inside = (low <= truth) & (truth <= high) & (low <= actual) & (actual <= high);
    const I8 finite = (magnitude(truth) < infinite) & (magnitude(actual) < infinite);
    eight = {0, 0, all(inside & finite & ~((low == -infinite) & (high == infinite)))};
    if (!eight.plain) continue;
    const Steps steps = steps_of(rule.storage, truth);
    const D8 limit = most(high - truth, truth - low);
    limit_ulp.sum = most(limit_ulp.sum, where(limit < infinite, limit * steps.inverse));
    if (x.half_width != nullptr) {
      const D8 half_width = load(x.half_width + i);
      half_width_ulp.sum = most(half_width_ulp.sum, where(half_width < infinite, half_width * steps.inverse));
    }
    const I8 differs = actual != truth;
    if (all(~differs)) continue;
    const D8 difference = actual - truth, size = magnitude(difference);
    flips.sum += where(differs, one);
    ulps.sum += difference * steps.inverse;
    const I8 negative = (truth < 0) | ((truth == 0) & (actual < 0));
    magnitude_ulps.sum += select(negative, -difference, difference) * steps.inverse;
    max_abs.sum = most(max_abs.sum, size);
    const D8 allowed = select(difference > 0, high - truth, truth - low);
    const D8 share = where(differs, size / allowed);
    used.sum = most(used.sum, share);
    eight.score = largest_of(select(allowed >= steps.step, share, size * steps.inverse));
    // No two neighbours between them are closer than the spacing at the smaller magnitude.
    const D8 smaller = least(magnitude(truth), magnitude(actual));
    const I8 apart = (bits(truth) ^ bits(actual)) < 0;
    eight.ulps = largest_of(where(differs, select(apart, infinite, size * steps_of(rule.storage, smaller).inverse)));
  }
  flips.finish(sums.flips);
  ulps.finish(sums.ulps);
  magnitude_ulps.finish(sums.magnitude_ulps);
  max_abs.finish(sums.max_abs);
  used.finish(sums.used);
  limit_ulp.finish(sums.limit_ulp);
  half_width_ulp.finish(sums.half_width_ulp);
}

constexpr MomentLoops loops_here() { return {inspect, screen, moments}; }

}  // namespace
}  // namespace fusecheck::verify
