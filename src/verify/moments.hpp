// The sums of statistics.hpp over runs of elements, eight lanes at a time: lane l adds up elements l, l + 8, l + 16
// ..., whatever the instruction set, so that all give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fusecheck::verify {

inline constexpr std::size_t moment_lanes = 8;

// Where the spacing of a format comes from, as Spacing holds it.
struct SpacingOf {
  int lowest, shift;
};

// Runs of `n` elements, a multiple of moment_lanes.
struct Elements8 {
  const double *truth, *low, *high, *half_width, *actual;
  const double* exact;   // null: unknown
  const double* weight;  // of the element's group; 0: not counted
  std::size_t n;
};

struct MomentRule {
  SpacingOf storage, compute;
  double mean, rms, bias, bias_magnitude;  // calibrated shares of the half-width
  double largest;                          // finite value of storage
  bool floating;
};

// A sum of each lane.
struct Lanes8 {
  double at[moment_lanes] = {};
};

// Which elements say something, and what needs no groups: sums for the check of truth (|truth - exact| in ulps, and of
// how many), and the smallest relative fault that drives an element out of its interval.
struct Screened {
  Lanes8 truth_error, truth_count;
  Lanes8 visible_bound;  // to start at infinity
};

struct Moments {
  // Over groups: each addend times the weight. `rounding` is what the last rounding adds to `variance` where positions
  // are uniform, `rounding_near` what the elements at a boundary may give.
  Lanes8 q, q_magnitude, flips, predicted, near_boundary, variance, rounding, rounding_near, bias, bias_magnitude;
  // Over elements.
  Lanes8 counted, coarse, truth_ulp, element_flips, squares, one_ulp, element_predicted;
};

// Of elements that are finite and inside their intervals. The sums of a lane, and its largest values.
struct Inspected {
  Lanes8 flips, ulps, magnitude_ulps;
  Lanes8 max_abs, used, limit_ulp, half_width_ulp;
};

// What each eight elements give to look at one by one.
struct Eight {
  double score;  // the largest, as Judgement::worst is sorted by
  double ulps;   // no element is further from truth than this; infinite where signs differ
  bool plain;    // false: some element is not finite, not inside its interval, or lies in one of everything
};

struct MomentLoops {
  // Leaves out the eights that are not plain.
  void (*inspect)(const MomentRule& rule, const Elements8& x, Eight* eights, Inspected& sums);
  // counted[i] is 0 or -1 (no_group).
  void (*screen)(const MomentRule& rule, const Elements8& x, std::int32_t* counted, Screened& sums);
  // q[i] = (actual - truth) / (half_width + ulp), 0 where not counted.
  void (*moments)(const MomentRule& rule, const Elements8& x, double* q, Moments& sums);
};
const MomentLoops& moment_loops();  // of the best instruction set here
const MomentLoops& moment_loops_avx2();
const MomentLoops& moment_loops_avx512();

}  // namespace fusecheck::verify
