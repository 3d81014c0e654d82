// Runs one case: truth with intervals, or emulation.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fusecheck/judge.hpp"
#include "fusecheck/tensor.hpp"
#include "graph/evaluate.hpp"
#include "run/chain.hpp"
#include "run/context.hpp"
#include "run/emulated_kernel.hpp"
#include "run/real_kernel.hpp"

namespace fusecheck::run {

// Truth of one schedule. Names: outputs and gradients (y, running_mean, dx, dw ...), saved tensors apart.
struct TruthRun {
  std::map<std::string, Expected, std::less<>> outputs;
  std::map<std::string, Real, std::less<>> saved;
  // y one step before the end, rounded to y's type (J11); absent where the last step changes the shape.
  std::map<std::string, std::vector<double>, std::less<>> without_last_step;
  // With options.magnitudes: Σ|terms| of each output.
  std::map<std::string, std::vector<double>, std::less<>> magnitudes;
  std::vector<ContractionRecord*> contractions;  // in the order in which they were asked for
};

// Tensors widened to f64 once, for several runs.
struct Loaded {
  std::map<std::string, std::pair<Shape, Real>, std::less<>> tensors;
};
Loaded load(const Tensors& tensors);

// `inputs`: every input, dy for the backward, and any saved tensor that the user gave.
TruthRun run_truth(const Context& context, const Schedule& schedule, const Loaded& inputs, const TruthOptions& options,
                   Memo& memo, bool backward);
TruthRun run_truth(const Context& context, const Schedule& schedule, const Tensors& inputs, const TruthOptions& options,
                   Memo& memo, bool backward);

// The forward of a truth run, kept so that its backward can follow once dy is settled (J9). Refers to the context and
// the memo.
struct TruthForward {
  std::unique_ptr<Schedule> schedule;
  TruthOptions options;
  std::unique_ptr<RealKernel> kernel;
  std::unique_ptr<graph::Forward> forward;
  Memo* memo = nullptr;
  std::vector<ContractionRecord*> contractions;
};
TruthForward start_truth(const Context& context, const Schedule& schedule, const Loaded& inputs,
                         const TruthOptions& options, Memo& memo);
// Shows what the forward saves under a name (a mask), block by block. `keep`: it is going to be used again.
void look_at_saved(const TruthForward& start, const std::string& name, bool keep, const Look& look);
// `inputs` gives dy; whatever else it holds was taken by the forward.
TruthRun finish_truth(const Context& context, TruthForward start, const Loaded& inputs, bool backward);

// What an f32 implementation of one contraction that ran may give (for third parties that replay it).
Expected expected_of(const ContractionRecord& record, const TruthOptions& options, Memo& memo);

struct EmulatedRun {
  Tensors outputs, saved;
};
EmulatedRun run_emulated(const Context& context, const Schedule& schedule, const Tensors& inputs,
                         const NumericModel& model, EmulatedMemo& memo);

// What passes the named rounding points of an emulation; absent where the schedule does not come by one.
Tensors run_points(const Context& context, const Schedule& schedule, const Tensors& inputs, const NumericModel& model,
                   EmulatedMemo& memo, const std::vector<std::string>& points);

// The outputs of an emulation before their last rounding.
std::map<std::string, std::vector<float>, std::less<>> run_unrounded(const Context& context, const Schedule& schedule,
                                                                     const Tensors& inputs, const NumericModel& model,
                                                                     EmulatedMemo& memo);

// The plain f64 body on given f64 values (nothing rounded): for gradient checks and third-party fixtures.
std::map<std::string, std::vector<double>, std::less<>> run_body(
    const Context& context, const std::map<std::string, std::vector<double>, std::less<>>& inputs, Memo& memo,
    bool backward);

}  // namespace fusecheck::run
