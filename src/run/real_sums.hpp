// Sums and contractions with their intervals: v ± c·u·S (NUMERICS.md J4).
#pragma once

#include <vector>

#include "fusecheck/numeric_model.hpp"
#include "fusecheck/op.hpp"
#include "run/memo.hpp"
#include "run/real.hpp"

namespace fusecheck::run {

struct TruthOptions {
  bool intervals = true;
  bool magnitudes = false;  // carry Σ|terms| (for 1e-12·S comparisons and budgets)
  bool only_saved = false;  // nobody looks at y: it need not be rounded
  bool exact_quotients = true;  // as in ArithmeticOptions
  Accumulator accumulator = {};
  NumericModel declared = {};  // its store rule rounds; its order joins the calibration
};

// Σ over the axes, which stay with length 1.
Real sum(const Shape& shape, const std::vector<int>& axes, const Real& in, const TruthOptions& options, Memo& memo);

// One contraction with its interval; `start` (the bias) may be null.
Real contract(const engine::Contraction& problem, const Real& left, const Real& right, const Real* start,
              const TruthOptions& options, Memo& memo);

// The geometry that the engine takes, from shapes and attributes.
engine::Conv2dGeometry geometry_of(const Shape& x, const Shape& w, const Conv2dAttrs& attrs);

}  // namespace fusecheck::run
