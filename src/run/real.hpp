// What the f64 interpreter carries on an edge: the value and the interval of what a legal kernel may hold there (J4).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "fusecheck/op.hpp"

namespace fusecheck::run {

struct ContractionRecord;
struct Step;
using Doubles = std::shared_ptr<const std::vector<double>>;

struct Real {
  Doubles v;
  Doubles low, high;  // both null: every legal kernel holds exactly v
  // How far legal kernels really go, as shares of the half-width of [low, high] (J7): the largest over the calibration
  // orders of mean |error|, |mean error| and root mean square error.
  double typical = 0, bias = 0, rms = 0;
  // Bound of the f64 evaluation's own error, as a share of the half-width (J5): see certified() in certify.hpp.
  double f64_share = 0;
  const ContractionRecord* contraction = nullptr;  // set where v is the plain result of one: it can be summed exactly
  std::int64_t uncertified = 0;                    // after a rounding: elements whose correct rounding is not proven
  double rigorous = 1;                 // rigorous n against the calibrated c, the largest ratio on the way here (J4)
  Doubles magnitude;                   // Σ|terms|; null: |v|. Only where magnitudes are asked for
  std::shared_ptr<const Real> before;  // of a stored tensor: what was rounded
  std::shared_ptr<Step> waiting;       // not null: nothing here is known yet, settled() of chain.hpp has the rest

  std::size_t size() const { return v->size(); }
  bool exact() const { return low == nullptr; }
  const std::vector<double>& lows() const { return exact() ? *v : *low; }
  const std::vector<double>& highs() const { return exact() ? *v : *high; }
};

inline Doubles share(std::vector<double> values) { return std::make_shared<std::vector<double>>(std::move(values)); }
// The values themselves where nobody else has them, else a copy.
inline std::vector<double> taken(Doubles values) {
  if (values.use_count() > 1) return *values;
  return std::move(const_cast<std::vector<double>&>(*values));  // share() made it, not const
}

// `from` repeated over `to` by numpy's rules; the same pointer where nothing has to be repeated.
Doubles broadcast(const Doubles& values, const Shape& from, const Shape& to);
Real broadcast(const Real& x, const Shape& from, const Shape& to);

// Half the width of the interval, seen from v.
std::vector<double> half_widths(const Real& x);

// The largest power of two that divides every element (2^1023 when all are 0). 0 where an element is not finite, and
// where the elements span more than 24 bits: then no f32 accumulator holds all their sums exactly.
double granularity(std::span<const double> values);
// The largest magnitude; infinite where an element is not finite.
double largest_magnitude(std::span<const double> values);

// Positions of the terms of each output of a sum over `axes`, in row-major order: groups x terms.
struct SumLayout {
  Shape shape;  // of the result, the summed axes with length 1
  std::int64_t groups = 0, terms = 0;
  std::vector<std::int64_t> group_base, term_offset;
};
SumLayout sum_layout(const Shape& shape, const std::vector<int>& axes);

}  // namespace fusecheck::run
