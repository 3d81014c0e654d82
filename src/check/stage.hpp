// What one data set of a check works with, and the steps of the pipeline (check.cpp calls them in order).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fusecheck/check.hpp"
#include "run/run.hpp"

namespace fusecheck {

// Charges time to the steps of a data set; nothing without a clock.
class StepClock {
 public:
  StepClock() = default;
  StepClock(const std::function<double()>& now, std::map<std::string, double>& seconds)
      : now_(now ? &now : nullptr), seconds_(&seconds) {}
  // Ends the current step and begins another one; the one that was ended.
  std::string enter(const std::string& step) {
    if (now_ != nullptr) {
      const double time = (*now_)();
      if (!step_.empty()) (*seconds_)[step_] += time - since_;
      since_ = time;
    }
    return std::exchange(step_, step);
  }

 private:
  const std::function<double()>* now_ = nullptr;
  std::map<std::string, double>* seconds_ = nullptr;
  std::string step_;
  double since_ = 0;
};

struct Stage {
  const CheckRequest& request;
  const run::Context& context;
  Tensors inputs;      // dy zeroed at kinks where it was drawn
  run::Loaded loaded;  // the same in f64
  run::Memo& memo;
  DataSetReport& report;
  bool from_user = false;                                  // the forward's inputs are the user's own
  std::map<std::string, run::TruthForward> forwards = {};  // by schedule: begun by zero_kinks, finished by truth_of
  Tensors actual = {};  // the candidate's outputs for this data set; empty: none is judged
  StepClock clock = {};
};

// J9: zeroes dy where the sign in front of a relu is not certain under every schedule of the op. A user's dy stays as
// it is; the count is reported.
// The forwards of the `judged` schedules stay in the stage.
void zero_kinks(Stage& stage, bool dy_given, const std::vector<run::Schedule>& judged);

// The truth of one schedule: the rest of the forward that the stage holds, or all of it.
run::TruthRun truth_of(Stage& stage, const run::Schedule& schedule, const run::TruthOptions& options);

// For each element of a mask, the element of dy that passes through it: the same one; the one that is left where dy has
// summed or maximised axes away (length 1 there); that of the window, which is the mask's last axis. Empty where the
// mask lies deeper inside, so that many elements of dy meet there: then the intervals carry the doubt.
std::vector<std::int64_t> reached_dy(const Shape& mask, const Shape& dy);

// Judges one output, J11 included. `body_before`: y without its last step, or empty.
OutputReport judge_output(const Stage& stage, const std::string& candidate, const std::string& output,
                          const Expected& expected, const Tensor& actual, const std::string& recipe,
                          const run::TruthRun& truth);

// In training: what legal orders of the whole schedule do to each output, in place of what the intervals predict (J7).
void calibrate_outputs(const Stage& stage, const run::Schedule& schedule, const NumericModel& model,
                       run::TruthRun& truth);

// `model` and the orders that are as legal: the other K layout of a matrix unit; else sequential, reversed, pairwise,
// block16.
std::vector<NumericModel> legal_models(const NumericModel& model);

// oneDNN replays every contraction of the last traced run.
void check_third_party(Stage& stage, const std::vector<run::ContractionRecord*>& trace,
                       const run::TruthOptions& options);

// The candidate's own outputs under one schedule, or under whichever explains them whole (J8).
void check_candidate(Stage& stage);

// J2: |recipe truth - body truth| against the recipe's budget; J13: f64 gradients against central differences.
void check_budget(Stage& stage, const run::Schedule& schedule, const run::TruthRun& truth);
void check_gradients(Stage& stage, std::uint64_t seed);
constexpr double largest_disagreement = 1e-8;  // J13

// J8: notes how far the truth of a body with its casts lies from that of the exact body, in ULP of the output.
void cost_of_declaration(Stage& stage, const run::TruthRun& declared);

// How the case's model accumulates, and what that means for truth.
run::TruthOptions truth_options(const NumericModel& model);

}  // namespace fusecheck
