// Every op, mode and recipe without roundings against PyTorch's float64 autograd: forward, every gradient and the
// statistics, each element within 1e-12 of its magnitude S: where the fixture has none (make_fixtures.py says how S
// comes about), the Σ|terms| that the interpreter carries along.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "fusecheck/registry.hpp"
#include "run/run.hpp"
#include "support/fixture.hpp"

namespace fusecheck {
namespace {

using testing::Fixture;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
using Doubles = std::map<std::string, std::vector<double>, std::less<>>;

run::Context context_of(const Fixture& fixture) {
  CaseSpec spec;
  spec.op = fixture.op;
  spec.dtype = DType::f32;  // of no effect: nothing is rounded here
  spec.attrs = fixture.attrs;
  for (const std::string& name : testing::input_names(fixture)) spec.shapes[name] = fixture.tensors.at(name).shape();
  return run::make_context(spec);
}

Doubles inputs_of(const Fixture& fixture) {
  Doubles inputs;
  for (const std::string& name : testing::input_names(fixture)) inputs[name] = fixture.tensors.at(name).doubles();
  return inputs;
}

// S of every output, from the fixture or from the body.
Doubles magnitudes_of(const Fixture& fixture, const run::Context& context) {
  Doubles magnitudes;
  for (const std::string& name : testing::output_names(fixture)) {
    const auto given = fixture.tensors.find("S_" + name);
    if (given != fixture.tensors.end()) magnitudes[name] = given->second.doubles();
  }
  if (!magnitudes.empty()) return magnitudes;
  run::TruthOptions options;
  options.intervals = false;
  options.magnitudes = true;
  Tensors inputs;
  for (const std::string& name : testing::input_names(fixture)) inputs[name] = fixture.tensors.at(name);
  run::Memo memo({});
  const run::TruthRun body = run::run_truth(context, run::plain_body(), inputs, options, memo, true);
  for (const auto& [name, scale] : body.magnitudes) magnitudes[name] = scale;
  return magnitudes;
}

// Largest |actual - expected|/S of one output; infinite where the output is absent, of another size or no number.
double distance(const Fixture& fixture, const Doubles& magnitudes, const std::string& name, const Doubles& actual) {
  const std::vector<double> expected = fixture.tensors.at(name).doubles();
  const std::vector<double>& scale = magnitudes.at(name);
  const auto found = actual.find(name);
  if (found == actual.end() || found->second.size() != expected.size()) return kInfinity;
  double largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double error = std::fabs(found->second[i] - expected[i]);
    if (error == 0) continue;
    const double share = error / scale[i];
    largest = share <= largest ? largest : std::isnan(share) ? kInfinity : share;
  }
  return largest;
}

void expect_autograd(const Fixture& fixture, const Doubles& magnitudes, const std::string& what,
                     const Doubles& actual) {
  for (const std::string& name : testing::output_names(fixture)) {
    EXPECT_LE(distance(fixture, magnitudes, name, actual), 1e-12) << fixture.name << ", " << what << ": " << name;
  }
}

Doubles run_without_roundings(const run::Context& context, run::Schedule schedule, const Fixture& fixture) {
  schedule.roundings = false;
  run::TruthOptions options;
  options.intervals = false;
  Tensors inputs;
  for (const std::string& name : testing::input_names(fixture)) inputs[name] = fixture.tensors.at(name);
  run::Memo memo({});
  Doubles actual;
  const run::TruthRun truth = run::run_truth(context, schedule, inputs, options, memo, true);
  for (const auto& [name, expected] : truth.outputs) actual[name] = expected.truth;
  for (const auto& [name, real] : truth.saved) actual[name] = *real.v;
  return actual;
}

TEST(PyTorch, BodyOfEveryOpEqualsAutograd) {
  for (const Fixture& fixture : testing::all_fixtures()) {
    run::Memo memo({});
    const run::Context context = context_of(fixture);
    expect_autograd(fixture, magnitudes_of(fixture, context), "body",
                    run::run_body(context, inputs_of(fixture), memo, true));
  }
}

TEST(PyTorch, EveryRecipeWithoutRoundingsEqualsAutograd) {
  for (const Fixture& fixture : testing::all_fixtures()) {
    const run::Context context = context_of(fixture);
    const Doubles magnitudes = magnitudes_of(fixture, context);
    for (const run::Schedule& schedule : run::schedules_of(context, true)) {
      expect_autograd(fixture, magnitudes, schedule.name, run_without_roundings(context, schedule, fixture));
    }
  }
}

Role role_of(const Fixture& fixture, const std::string& input) {
  for (const Port& port : graph::interface_of(find_op(fixture.op)).inputs) {
    if (port.name == input) return port.role;
  }
  return Role::data;  // dy
}

std::string first_gradient(const Fixture& fixture) {
  for (const Port& port : graph::interface_of(find_op(fixture.op)).inputs) {
    if (port.gradient) return "d" + port.name;
  }
  return {};
}

// The comparison is sharp enough to see wrong attributes and wrong inputs, so a pass above means something.
void expect_seen(const Fixture& fixture, const Fixture& wrong, const std::string& name) {
  run::Memo memo({});
  const Doubles actual = run::run_body(context_of(wrong), inputs_of(wrong), memo, true);
  EXPECT_GT(distance(fixture, magnitudes_of(fixture, context_of(fixture)), name, actual), 1e-12)
      << fixture.name << ": " << name;
}

TEST(PyTorch, WrongAttributesAndInputsShow) {
  for (const Fixture& fixture : testing::all_fixtures()) {
    const bool has_bn = fixture.attrs.has("bn");
    if (has_bn) {
      Fixture wrong = fixture;
      wrong.attrs.set("eps", {1.01 * fixture.attrs.number("eps")});
      for (const char* name : {"y", "dx", "dgamma"}) {
        if (fixture.tensors.contains(name)) expect_seen(fixture, wrong, name);
      }
    }
    if (fixture.training) {
      Fixture wrong = fixture;
      wrong.attrs.set("momentum", {0.5});  // no fixture has it
      expect_seen(fixture, wrong, "running_mean");
      expect_seen(fixture, wrong, "running_var");
    }
    for (const std::string& name : testing::input_names(fixture)) {
      if (has_bn && (name == "mean" || name == "var") && fixture.training) continue;  // of no effect on y
      if (fixture.training && name == "b") continue;                                  // cancels in training
      const Role role = role_of(fixture, name);
      if (role == Role::mask || role == Role::index) continue;  // not numbers that could be a little off
      Fixture wrong = fixture;
      std::vector<double> values = fixture.tensors.at(name).doubles();
      // Different for each element: training would cancel a common factor of x or w.
      for (std::size_t i = 0; i < values.size(); ++i) values[i] *= 1 + static_cast<double>(i + 1) * 0x1p-30;
      wrong.tensors[name] = Tensor::from(DType::f64, fixture.tensors.at(name).shape(), std::span<const double>(values));
      const std::string first = graph::interface_of(find_op(fixture.op)).first_output;
      expect_seen(fixture, wrong, name == "d" + first ? first_gradient(fixture) : first);
    }
  }
}

}  // namespace
}  // namespace fusecheck
