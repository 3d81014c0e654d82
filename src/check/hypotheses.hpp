// The ways in which a candidate may compute, as check_candidate tries them (J8).
#pragma once

#include <string>
#include <vector>

#include "check/stage.hpp"

namespace fusecheck {

// One way in which the candidate may compute: a schedule, an accumulator, and whether its quotients are exact where
// they can be.
struct Hypothesis {
  run::Schedule schedule;
  run::TruthOptions options;
  std::string name;
};

// The case's schedules under a model: those that it names, or all; with `lossy` those never tried silently, too. What
// the model adds to the case's own stands in the name.
std::vector<Hypothesis> hypotheses(const Stage& stage, bool lossy, const NumericModel& model);

// A reference in a wider type keeps what feeds a contraction inside of the op, which no matrix unit does: each recipe
// so, to be named where a kernel fails.
std::vector<Hypothesis> with_kept_operands(const Stage& stage);

// Matrix units that shorten f32 operands lose what a check in f32 is for: to be named where a kernel fails.
std::vector<Hypothesis> with_short_operands(const Hypothesis& hypothesis);

}  // namespace fusecheck
