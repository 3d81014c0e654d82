// The numbered flow of a check; each data set goes through it alone.
//
//   1 draw    inputs, or take the given ones; zero dy at kinks (J9)
//   2 truth   unfused and fused schedule, with intervals (J2-J5)
//   3 run     the unfused and the fused emulation
//   4 judge   each against its own truth (J6, J7, J11), then fused against unfused (J12)
//   5 others  oneDNN on every contraction; the user's kernel (J8)
//   6 self    recipe truth against body truth (J2), gradients against differences (J13)
#include "fusecheck/check.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/text.hpp"
#include "check/memory_limit.hpp"
#include "check/smaller_case.hpp"
#include "check/stage.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck {
namespace {

engine::Execution execution_of(const CheckRequest& request) {
  return {request.threads, engine::parse_simd(request.simd)};
}

bool has_all_inputs(const run::Context& context, const Tensors& given) {
  return std::all_of(context.interface.inputs.begin(), context.interface.inputs.end(),
                     [&](const Port& port) { return given.contains(port.name); });
}

void keep(DataSetReport& report, const std::string& prefix, const Tensors& tensors) {
  for (const auto& [name, tensor] : tensors) report.tensors[prefix + name] = tensor;
}

Tensor truth_tensor(const Expected& expected) {
  return Tensor::from(expected.dtype, expected.shape, std::span<const double>(expected.truth));
}

// J12.
Difference difference_of(const std::string& output, const Tensor& fused, const Tensor& unfused,
                         const std::optional<double>& most) {
  Difference difference;
  difference.output = output;
  const std::span<const std::byte> fused_bytes = fused.bytes(), unfused_bytes = unfused.bytes();
  const std::size_t each = size_of(fused.dtype());
  const auto same = [&](std::size_t first, std::size_t n) {
    return std::memcmp(fused_bytes.data() + first * each, unfused_bytes.data() + first * each, n * each) == 0;
  };
  const auto compare = [&](std::int64_t i) {
    const double a = fused.at(i), b = unfused.at(i), apart = std::fabs(a - b);
    if (a == b || (a != a && b != b)) return;
    difference.max_abs = std::max(difference.max_abs, apart == apart ? apart : largest_finite(DType::f64));
    difference.max_ulp = std::max(difference.max_ulp, ulp_distance(fused.dtype(), a, b));
  };
  constexpr std::size_t together = 64;  // most elements are the same
  const auto n = static_cast<std::size_t>(fused.size());
  for (std::size_t first = 0; first < n; first += together) {
    const std::size_t end = std::min(n, first + together);
    if (same(first, end - first)) continue;
    for (std::size_t i = first; i < end; ++i) {
      if (!same(i, 1)) compare(static_cast<std::int64_t>(i));
    }
  }
  difference.within = !most.has_value() || difference.max_abs <= *most;
  return difference;
}

// Judges an emulation's outputs against the truth of its own schedule.
void judge_emulation(Stage& stage, const std::string& candidate, const run::Schedule& schedule,
                     const run::TruthRun& truth, const run::EmulatedRun& run) {
  std::vector<std::string> unproven;
  for (const std::string& name : stage.context.output_names()) {
    const auto expected = truth.outputs.find(name);
    const auto actual = run.outputs.find(name);
    if (expected == truth.outputs.end() || actual == run.outputs.end()) {
      internal_error(schedule.name + " of " + stage.context.op->name + " does not give " + name);
    }
    stage.report.outputs.push_back(
        judge_output(stage, candidate, name, expected->second, actual->second, schedule.name, truth));
    const std::int64_t uncertified = expected->second.uncertified;
    if (uncertified > 0) unproven.push_back(name + " " + std::to_string(uncertified));
  }
  if (candidate == "fused" && !unproven.empty()) {
    stage.report.notes.push_back("truth not proven to be correctly rounded at " + base::join(unproven, ", ") +
                                 " elements; both neighbours pass there");
  }
}

// A primitive is its own fused form: what was judged as that stands for the unfused run, too, and before it.
void repeat_as_unfused(DataSetReport& report, std::size_t first) {
  const auto begin = report.outputs.begin() + static_cast<std::ptrdiff_t>(first);
  std::vector<OutputReport> again(begin, report.outputs.end());
  for (OutputReport& output : again) {
    output.candidate = "unfused";
    output.judgement.standards.clear();
  }
  report.outputs.insert(begin, again.begin(), again.end());
}

}  // namespace

run::TruthRun truth_of(Stage& stage, const run::Schedule& schedule, const run::TruthOptions& options) {
  const auto begun = stage.forwards.find(schedule.name);
  if (begun == stage.forwards.end()) {
    return run::run_truth(stage.context, schedule, stage.loaded, options, stage.memo, stage.context.backward);
  }
  run::TruthForward forward = std::move(begun->second);
  stage.forwards.erase(begun);
  return run::finish_truth(stage.context, std::move(forward), stage.loaded, stage.context.backward);
}

namespace {

void require_known(const CheckRequest& request, const run::Context& context) {
  const std::vector<std::string> names = context.output_names();
  for (const std::string& name : request.require) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      usage_error("--require " + name + ": " + context.op->name + " gives " + base::join(names, ", "));
    }
  }
}

void check_given(const CheckRequest& request, const run::Context& context, const Tensors& actual) {
  const std::vector<std::string> names = context.output_names();
  for (const std::string& name : request.require) {
    if (!actual.contains(name)) no_verdict_error("--require " + name + ": the kernel's outputs hold no " + name);
  }
  for (const auto& [name, tensor] : actual) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      usage_error("--actual " + name + ": " + context.op->name + " gives " + base::join(names, ", ") +
                  base::hint(name, names));
    }
    if (tensor.shape() != context.shapes.at(name)) {
      usage_error("--actual " + name + " has shape " + to_text(tensor.shape()) + ", the case says " +
                  to_text(context.shapes.at(name)));
    }
    if (tensor.dtype() != context.dtype_of(name)) {
      usage_error("--actual " + name + " is " + std::string(name_of(tensor.dtype())) + ", the case says " +
                  std::string(name_of(context.dtype_of(name))) + "; declare it with --dtype");
    }
  }
}

// The saved tensors that a backward kernel reads become inputs: truth goes on from the same bits as the kernel.
void supply_saved(Stage& stage, const run::Schedule& fused, run::EmulatedMemo& memo) {
  const run::EmulatedRun forward =
      run::run_emulated(stage.context, fused, stage.inputs, stage.request.spec.model, memo);
  for (const std::string& name : stage.request.kernel_reads) {
    const auto found = forward.saved.find(name);
    if (found == forward.saved.end()) {
      std::vector<std::string> known;
      for (const auto& [saved, tensor] : forward.saved) known.push_back(saved);
      usage_error("the kernel reads " + base::quoted(name) + ", which the forward of " + stage.context.op->name +
                  " does not save; it saves " + base::join(known, ", ") + base::hint(name, known));
    }
    stage.inputs.emplace(name, found->second);
  }
  stage.loaded = run::load(stage.inputs);
  stage.forwards.clear();
}

// Runs the candidate on this data set.
void run_kernel(Stage& stage, const CaseSpec& spec, DataSet set) {
  CaseSpec one_set = spec;
  one_set.data = {set};
  const std::vector<std::string> names = stage.context.output_names();
  CandidateOutputs given = stage.request.kernel(
      {one_set, stage.context.attrs, stage.context.shapes, stage.context.dtypes, stage.inputs, names});
  using Outcome = CandidateOutputs::Outcome;
  stage.report.kernel_message = std::move(given.message);
  stage.report.kernel_errors = std::move(given.error_lines);
  stage.report.kernel = given.outcome == Outcome::ran           ? Status::pass
                        : given.outcome == Outcome::unsupported ? Status::skip
                        : given.outcome == Outcome::rejected    ? Status::fail
                                                                : Status::error;
  if (given.outcome != Outcome::ran && given.outcome != Outcome::rejected) return;
  if (given.outcome == Outcome::ran && given.outputs.empty()) no_verdict_error("the kernel gave no output");
  if (given.outcome == Outcome::ran) check_given(stage.request, stage.context, given.outputs);
  stage.actual = std::move(given.outputs);
}

// The disagreement on drawn data; -1: not finite.
double disagreement_on_drawn(const Stage& stage, const CaseSpec& spec) {
  const run::Context context = run::make_context(spec);
  run::Memo memo(stage.memo.execution());
  DataSetReport report;
  Tensors inputs = run::draw_inputs(context, DataSet::random, spec.seed, spec.dy_ones, {});
  Stage drawn{stage.request, context, std::move(inputs), {}, memo, report};
  check_gradients(drawn, spec.seed);
  return report.gradient_check;
}

bool agrees(double disagreement) { return disagreement >= 0 && disagreement <= largest_disagreement; }

// J13 concerns the op's algebra, so drawn data of a smaller shape shows it; should that disagree, the case itself
// decides. A user's tensors are tried first, but can be too ill-conditioned for any difference: then drawn data decide.
void check_gradients(Stage& stage, const CaseSpec& spec) {
  const bool given = !stage.request.inputs.empty();
  if (given) check_gradients(stage, spec.seed);
  if (given && (agrees(stage.report.gradient_check) || stage.report.gradient_check < 0)) return;
  const std::optional<CaseSpec> smaller = smaller_case(spec);
  if (smaller.has_value() || given) {
    const double drawn = disagreement_on_drawn(stage, smaller.value_or(spec));
    if (given && agrees(drawn)) {
      stage.report.notes.push_back(
          "these tensors are too ill-conditioned for differences: gradients compared on drawn data");
    }
    if (given && !agrees(drawn)) return;
    stage.report.gradient_check = drawn;
    if (agrees(drawn)) return;
  }
  check_gradients(stage, spec.seed);
}

void run_stage(Stage& stage, const CaseSpec& spec, DataSet set) {
  const CheckRequest& request = stage.request;
  const run::Context& context = stage.context;
  stage.clock.enter("draw");
  stage.inputs = run::draw_inputs(context, set, spec.seed, spec.dy_ones, request.inputs);  // 1
  const std::string dy = "d" + context.interface.first_output;
  stage.loaded = run::load(stage.inputs);
  const std::string recipe = spec.recipe == "any" ? "" : spec.recipe;
  const run::Schedule fused = run::find_schedule(context, recipe, spec.rounds);
  const run::Schedule unfused = run::find_schedule(context, "unfused", {});
  stage.clock.enter("kinks");
  if (context.backward) zero_kinks(stage, request.inputs.contains(dy), {fused, unfused});
  run::EmulatedMemo emulated(execution_of(request));
  if (!request.kernel_reads.empty()) supply_saved(stage, fused, emulated);

  const run::TruthOptions options = truth_options(spec.model);
  stage.clock.enter("truth");
  run::TruthRun fused_truth = truth_of(stage, fused, options);  // 2
  calibrate_outputs(stage, fused, spec.model, fused_truth);
  stage.clock.enter("run");
  const run::EmulatedRun unfused_run = run::run_emulated(context, unfused, stage.inputs, spec.model, emulated);  // 3
  const bool alike = fused.name == unfused.name;
  const run::EmulatedRun fused_run =
      alike ? unfused_run : run::run_emulated(context, fused, stage.inputs, spec.model, emulated);

  if (!alike) {  // 4
    stage.clock.enter("truth");
    run::TruthRun unfused_truth = truth_of(stage, unfused, options);
    calibrate_outputs(stage, unfused, spec.model, unfused_truth);
    stage.clock.enter("judge");
    judge_emulation(stage, "unfused", unfused, unfused_truth, unfused_run);
  }
  stage.clock.enter("judge");
  const std::size_t judged = stage.report.outputs.size();
  judge_emulation(stage, "fused", fused, fused_truth, fused_run);
  if (alike) repeat_as_unfused(stage.report, judged);
  for (const std::string& name : context.output_names()) {
    stage.report.differences.push_back(
        alike ? Difference{name}
              : difference_of(name, fused_run.outputs.at(name), unfused_run.outputs.at(name), request.max_diff));
  }

  stage.clock.enter("others");
  if (fused.declared) cost_of_declaration(stage, fused_truth);
  check_third_party(stage, fused_truth.contractions, options);  // 5
  if (request.kernel) run_kernel(stage, spec, set);
  if (!stage.actual.empty()) check_candidate(stage);
  stage.clock.enter("self");
  if (set == DataSet::random) {  // 6
    check_budget(stage, fused, fused_truth);
    if (context.backward) check_gradients(stage, spec);
  }
  stage.clock.enter("");
  if (request.keep_tensors) {
    keep(stage.report, "inputs.", stage.inputs);
    keep(stage.report, "unfused.", unfused_run.outputs);
    keep(stage.report, "fused.", fused_run.outputs);
    keep(stage.report, "saved.", fused_run.saved);
    keep(stage.report, "actual.", stage.actual);
    for (const std::string& name : context.output_names()) {
      stage.report.tensors["truth." + name] = truth_tensor(fused_truth.outputs.at(name));
    }
  }
}

// J11: what an output cannot show on one data set it may show on another: on exact data what is weak on drawn data, and
// on random data what is weak on exact data, where all terms may happen to be 0.
void settle_on_other_set(CheckReport& report) {
  const auto proven = [&](DataSet on, const OutputReport& weak) {
    return std::any_of(report.sets.begin(), report.sets.end(), [&](const DataSetReport& set) {
      return set.set == on && std::any_of(set.outputs.begin(), set.outputs.end(), [&](const OutputReport& output) {
               return output.candidate == weak.candidate && output.output == weak.output &&
                      output.judgement.status == Status::pass;
             });
    });
  };
  std::vector<OutputReport*> settled;  // changed at the end: one weak set must not vouch for the other
  for (DataSetReport& set : report.sets) {
    const DataSet other = set.set == DataSet::exact ? DataSet::random : DataSet::exact;
    for (OutputReport& output : set.outputs) {
      if (output.judgement.status != Status::weak || !proven(other, output)) continue;
      output.judgement.reason = name_of(other) + " only: " + output.judgement.reason;
      settled.push_back(&output);
    }
  }
  for (OutputReport* output : settled) output->judgement.status = Status::pass;
}

// An output without elements proves nothing, which is no reproach beside outputs that have some and are right.
void settle_empty(DataSetReport& set) {
  const auto empty = [](const OutputReport& output) { return output.judgement.n == 0; };
  for (OutputReport& output : set.outputs) {
    if (!empty(output) || output.judgement.status != Status::weak) continue;
    const bool others = std::any_of(set.outputs.begin(), set.outputs.end(), [&](const OutputReport& other) {
      return other.candidate == output.candidate && !empty(other) && other.judgement.status == Status::pass;
    });
    if (others) output.judgement.status = Status::pass;
  }
}

}  // namespace

run::TruthOptions truth_options(const NumericModel& model) {
  run::TruthOptions options;
  options.accumulator = run::accumulator_of(model);
  options.declared = model;
  return options;
}

CheckReport check(const CheckRequest& request) {
  CheckReport report;
  report.spec = request.spec;
  const run::Context context = run::make_context(request.spec);
  require_memory(context.shapes);
  require_known(request, context);
  if (!request.kernel) check_given(request, context, request.actual);
  report.op = context.op->name;
  report.formula = context.op->formula;
  report.recipe =
      run::find_schedule(context, request.spec.recipe == "any" ? "" : request.spec.recipe, request.spec.rounds).name;
  report.shapes = context.shapes;
  report.dtypes = context.dtypes;
  report.spec.attrs = context.attrs;
  report.kernel_judged = request.kernel || !request.actual.empty();
  if (!context.op->fused()) {
    report.notes.push_back("a primitive has no fused form: the unfused run is the only one");
  }
  if (request.spec.data.empty()) usage_error("--data names no data set: choose among exact, random and stress");
  const bool from_user = has_all_inputs(context, request.inputs);
  for (const DataSet set : request.spec.data) {
    const bool exact = set == DataSet::exact && !from_user;
    const run::Context own = exact ? run::make_context(request.spec, true) : context;
    DataSetReport& set_report = report.sets.emplace_back();
    set_report.set = set;
    set_report.from_files = from_user;
    set_report.attrs = own.attrs;
    run::Memo memo(execution_of(request));
    Stage stage{request,
                own,
                {},
                {},
                memo,
                set_report,
                from_user,
                {},
                request.actual,
                StepClock(request.clock, set_report.seconds)};
    run_stage(stage, request.spec, set);
  }
  settle_on_other_set(report);
  for (DataSetReport& set : report.sets) {
    settle_empty(set);
    report.status = worse(report.status, set.kernel);
    for (const OutputReport& output : set.outputs) {
      // With a kernel to judge, an output that it did not give leaves nothing unproven about it.
      const bool theirs = !report.kernel_judged || output.candidate == "actual";
      if (theirs || output.judgement.status != Status::weak)
        report.status = worse(report.status, output.judgement.status);
    }
    for (const Difference& difference : set.differences) {
      if (!difference.within) report.status = Status::fail;
    }
    if (set.gradient_check > largest_disagreement) report.status = Status::fail;  // J13
  }
  report.repro = "fusecheck --case '" + to_line(request.spec) + "'";
  return report;
}

int exit_code(Status status) {
  if (status == Status::fail) return 1;
  if (status == Status::error) return 3;
  return status == Status::pass ? 0 : 4;
}

}  // namespace fusecheck
