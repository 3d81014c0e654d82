// A case as check() sees it, and the verdict of check() on a kernel's outputs for it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "check/stage.hpp"
#include "fusecheck/check.hpp"
#include "run/run.hpp"

namespace fusecheck::testing {

// What a kernel is given: the inputs that check() draws, dy zeroed where the sign in front of a relu is uncertain.
struct Case {
  CaseSpec spec;
  DataSet set = DataSet::random;
  Tensors given;  // inputs that replace the drawn ones
  run::Context context;
  Tensors inputs;
};

inline Case make_case(const CaseSpec& spec, DataSet set, const Tensors& given = {}) {
  Case made{spec, set, given, run::make_context(spec, set == DataSet::exact), {}};
  CheckRequest request;
  request.spec = spec;
  run::Memo memo(engine::Execution{});
  DataSetReport report;
  const Tensors inputs = run::draw_inputs(made.context, set, spec.seed, spec.dy_ones, given);
  Stage stage{.request = request,
              .context = made.context,
              .inputs = inputs,
              .loaded = run::load(inputs),
              .memo = memo,
              .report = report};
  if (made.context.backward) zero_kinks(stage, given.contains("dy"), {});
  made.inputs = stage.inputs;
  return made;
}

// The kernel of one schedule under one model, computed by our emulator.
inline Tensors emulate(const Case& of, const run::Schedule& schedule, const Tensors& inputs,
                       const NumericModel& model = {}) {
  run::EmulatedMemo memo(engine::Execution{});
  return run::run_emulated(of.context, schedule, inputs, model, memo).outputs;
}

inline CheckReport check_kernel(const Case& of, const Tensors& actual) {
  CheckRequest request;
  request.spec = of.spec;
  request.spec.data = {of.set};
  if (request.spec.recipe.empty()) request.spec.recipe = "any";
  request.inputs = of.given;
  request.actual = actual;
  request.judge.standards = false;
  return check(request);
}

// Some of a kernel's outputs.
inline Tensors only(const Tensors& outputs, const std::vector<std::string>& names) {
  Tensors some;
  for (const std::string& name : names) some[name] = outputs.at(name);
  return some;
}

inline std::vector<OutputReport> of_kernel(const CheckReport& report) {
  std::vector<OutputReport> rows;
  for (const DataSetReport& set : report.sets) {
    std::copy_if(set.outputs.begin(), set.outputs.end(), std::back_inserter(rows),
                 [](const OutputReport& row) { return row.candidate == "actual"; });
  }
  return rows;
}

// The worst status among the kernel's outputs.
inline Status kernel_status(const CheckReport& report) {
  Status status = Status::pass;
  for (const OutputReport& row : of_kernel(report)) status = worse(status, row.judgement.status);
  return status;
}

// One line for each output that failed: what a developer would read.
inline std::string failures(const CheckReport& report) {
  std::string text;
  for (const OutputReport& row : of_kernel(report)) {
    if (row.judgement.status != Status::fail) continue;
    text += row.output + " under " + row.recipe + ": " + row.judgement.reason;
    for (const std::string& line : row.judgement.where.lines) text += "; " + line;
    text += "\n";
  }
  return text;
}

}  // namespace fusecheck::testing
