// J4: whether a kernel drifts as a truncating accumulator does. Such a unit's intervals are wide, and much that is
// wrong fits into them; its errors are not: they all go one way.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/stage.hpp"

namespace fusecheck {

// Which part of a unit's drift a kernel shows: Σ w·clamp(q·p, -p², p²) / Σ w·p² over the elements, q = actual - truth,
// p = unit - truth, w = 1/(half-width + ulp)². 1: the kernel is the unit. An element counts for p² at most, whatever
// its error, so that one of n cannot stand for the rest. 0 where the unit does not drift. All of one size.
double drift_share(const Expected& expected, std::span<const double> unit, std::span<const double> actual);

struct MissingDrift {
  std::string output;
  double share = 0, needed = 0;
};

// The first of `outputs` (of the kernel that is judged) that does not drift as `unit` does on this case, in either K
// layout: its share is below the middle between what orders that round to nearest show, sequential, reversed, pairwise
// and block16, and 1. `truth` is the schedule's under `unit`.
std::optional<MissingDrift> missing_drift(const Stage& stage, const run::Schedule& schedule, const NumericModel& unit,
                                          const run::TruthRun& truth, const std::vector<std::string>& outputs);

}  // namespace fusecheck
