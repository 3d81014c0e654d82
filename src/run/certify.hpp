// Truth is the correctly rounded value: proven by an error bound of the f64 evaluation, by an exact sum, or counted as
// undecided (NUMERICS.md J5).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "fusecheck/dtype.hpp"
#include "run/memo.hpp"
#include "run/real.hpp"

namespace fusecheck::run {

// An f64 chain of K terms errs by at most (K+2)·2^-53·S; the half-width of its interval is at least min(K, 8)·2^-24·S.
// Their ratio, as Real::f64_share carries it; one elementwise operation adds 2^-53·|v| to a width of 2^-24·|v|.
double f64_share(std::int64_t terms);

struct Certified {
  std::vector<double> values;  // x rounded
  std::int64_t undecided = 0;  // elements for which both neighbours remain possible; the interval holds both
  std::vector<std::pair<std::size_t, double>> exact;  // better v where an exact sum decided
};

// Rounds x.v; `low` and `high` are the rounded ends of its interval (empty where x is exact). Where v ± e, e =
// f64_share·half-width, round apart, and x is the plain result of a contraction, the terms are summed in double-double
// and that sum decides.
Certified certified(const Real& x, DType dtype, const RoundingRule& rule, const std::vector<double>& low,
                    const std::vector<double>& high);

}  // namespace fusecheck::run
