// The gate with kernels that get worse, and the command that says so.
#include "suite/gate.hpp"

#include <cmath>
#include <cstdlib>

#include "suite_run.hpp"
#include "support/run_command.hpp"

namespace fusecheck::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string today = "2026-06-30";

// A standard that lets a kernel be 8 ULP off: the gate is what holds it to what it was.
Suite suite_of(const std::string& ops = "ConvRelu", const std::string& seeds = "1, 2") {
  return parse_suite("version: 1\ndefaults: {data: random}\nmatrix:\n  - {op: [" + ops + "], shape: 1x4x6x6, seed: [" +
                         seeds + "]}\nlimits:\n  - {match: {dtype: f16}, max_ulp: 8}\n",
                     "s.yaml");
}

// Four ULP more in channel 2 of y, where it is not 0: an f16 value in [2^e, 2^(e+1)) has a ULP of 2^(e-10).
void worsen_one_channel(Tensors& outputs) {
  std::vector<double> y = outputs.at("y").doubles();
  for (std::size_t i = 72; i < 108; ++i) {  // 6x6 elements a channel
    if (y[i] > 0) y[i] += 4 * std::ldexp(1.0, std::ilogb(y[i]) - 10);
  }
  outputs["y"] = Tensor::from(DType::f16, outputs.at("y").shape(), std::span<const double>(y));
}

Candidate kernel_with(const std::function<void(const CaseSpec&, Tensors&)>& change) {
  return [change](const CandidateCase& one) {
    CandidateOutputs given{CandidateOutputs::Outcome::ran, emulated_outputs_of(one.spec), ""};
    change(one.spec, given.outputs);
    return given;
  };
}

Candidate worse_on_seed_2() {
  return kernel_with([](const CaseSpec& spec, Tensors& outputs) {
    if (spec.seed == 2) worsen_one_channel(outputs);
  });
}

suite::Baseline baseline_of(const suite::ResultFile& file) {
  return suite::update_baseline({}, file, today, "", "").baseline;
}

std::size_t failing(const suite::GateReport& report) {
  std::size_t count = 0;
  for (const suite::GateFinding& one : report.findings) count += one.fails ? 1 : 0;
  return count;
}

class Gate : public ::testing::Test {
 protected:
  suite::ResultFile run(const std::string& name, const Suite& suite, const SuiteRun& run = {good_kernel()}) {
    return run_suite(suite, folder_ / name, run);
  }
  TempDir folder_;
};

TEST_F(Gate, PassesTheSameKernel) {
  const suite::ResultFile good = run("good", suite_of());
  const suite::GateReport report = suite::judge_gate(baseline_of(good), good, today);
  EXPECT_EQ(suite::exit_code(report), 0);
  EXPECT_EQ(report.rows, 6U);  // y, dx, dw of two cases
  EXPECT_EQ(report.same, 6U);
  EXPECT_TRUE(report.findings.empty());
}

TEST_F(Gate, FailsFourUlpInOneChannelAndNamesTheRow) {
  const suite::Baseline baseline = baseline_of(run("good", suite_of()));
  const suite::ResultFile worse = run("worse", suite_of(), {worse_on_seed_2()});
  for (const suite::CaseRecord& record : records_of(worse)) EXPECT_EQ(record.status, "pass") << record.reason;
  const suite::GateReport report = suite::judge_gate(baseline, worse, today);
  EXPECT_EQ(suite::exit_code(report), 1);
  ASSERT_EQ(failing(report), 1U);
  const suite::GateFinding& one = report.findings[0];
  EXPECT_EQ(one.verdict, "worse");
  EXPECT_EQ(one.key, (suite::RowKey{"ConvRelu/f16/x=1x4x6x6/random/s2", "random", "y"}));
  EXPECT_EQ(one.metric, "max_ulp");
  // The emulation is at most 1 ULP off (one rounding of an f32 value), so the kernel is 3 to 5 off.
  EXPECT_LE(std::stoi(one.base), 1);
  EXPECT_GE(std::stoi(one.now), 3);
  EXPECT_LE(std::stoi(one.now), 5);
  EXPECT_EQ(report.same, 5U);
}

// Every other row of the baseline says that the kernel was far worse once: no gain pays for the loss.
TEST_F(Gate, TakesNoImprovementForIt) {
  suite::Baseline baseline = baseline_of(run("good", suite_of()));
  for (auto& [key, row] : baseline) {
    if (key.id.ends_with("s2") && key.output == "y") continue;
    row.max_ulp += 100;
    row.flips += 100;
    row.rms += 1;
    row.used += 1;
  }
  const suite::GateReport report = suite::judge_gate(baseline, run("worse", suite_of(), {worse_on_seed_2()}), today);
  EXPECT_EQ(report.better, 5U);
  EXPECT_EQ(report.roomy, 5U);
  EXPECT_EQ(failing(report), 1U);
  EXPECT_EQ(suite::exit_code(report), 1);
}

TEST_F(Gate, FailsAMissingCaseAndAMissingOutput) {
  const suite::Baseline baseline = baseline_of(run("good", suite_of()));
  const suite::GateReport report = suite::judge_gate(baseline, run("fewer", suite_of("ConvRelu", "1")), today);
  EXPECT_EQ(suite::exit_code(report), 1);
  ASSERT_EQ(failing(report), 3U);  // y, dx, dw of the second
  EXPECT_EQ(report.findings[0].verdict, "missing");
  EXPECT_EQ(report.findings[0].key.id, "ConvRelu/f16/x=1x4x6x6/random/s2");

  const Candidate no_dx = kernel_with([](const CaseSpec&, Tensors& outputs) { outputs.erase("dx"); });
  const suite::GateReport without = suite::judge_gate(baseline, run("without", suite_of(), {no_dx}), today);
  ASSERT_EQ(failing(without), 2U);
  EXPECT_EQ(without.findings[0].key.output, "dx");

  const Candidate crashes = [](const CandidateCase&) {
    return CandidateOutputs{CandidateOutputs::Outcome::failed, {}, "time-out"};
  };
  EXPECT_EQ(suite::exit_code(suite::judge_gate(baseline, run("crash", suite_of(), {crashes}), today)), 1);
}

// The same kernel with batch norm folded into weights: as accurate as it may be, and another schedule.
TEST_F(Gate, FailsAChangedScheduleUnlessThereIsAReason) {
  const std::string text = "version: 1\ncases:\n  - {op: ConvBnRelu, shape: 1x4x6x6, data: random, direction: fwd}\n";
  const Suite suite = parse_suite(text, "s.yaml");
  const suite::ResultFile epilogue = run("epilogue", suite);
  const Candidate fold = [](const CandidateCase& one) {
    CaseSpec spec = one.spec;
    spec.recipe = "fold";
    return CandidateOutputs{CandidateOutputs::Outcome::ran, emulated_outputs_of(spec), ""};
  };
  const suite::ResultFile folded = run("fold", suite, {fold});
  const suite::Baseline baseline = baseline_of(epilogue);
  const suite::GateReport report = suite::judge_gate(baseline, folded, today);
  ASSERT_EQ(failing(report), 1U);
  EXPECT_EQ(report.findings[0].verdict, "changed");
  EXPECT_EQ(report.findings[0].metric, "schedule");
  EXPECT_EQ(report.findings[0].base + " -> " + report.findings[0].now, "epilogue -> fold");

  const suite::GateUpdate refused = suite::update_baseline(baseline, folded, today, "", "");
  EXPECT_EQ(refused.kept.size(), 1U);
  EXPECT_EQ(refused.baseline, baseline);
  const suite::GateUpdate accepted = suite::update_baseline(baseline, folded, today, "folded for speed, MR 12", "");
  EXPECT_EQ(accepted.loosened, 1U);
  EXPECT_EQ(accepted.baseline.begin()->second.reason, "folded for speed, MR 12");
  EXPECT_EQ(suite::exit_code(suite::judge_gate(accepted.baseline, folded, today)), 0);
}

TEST_F(Gate, FailsWhatAlreadyFailsItsCase) {
  const suite::Baseline baseline = baseline_of(run("good", suite_of()));
  const Candidate zeros = kernel_with([](const CaseSpec& spec, Tensors& outputs) {
    if (spec.seed == 2) outputs["dw"] = Tensor(DType::f16, outputs.at("dw").shape());
  });
  const suite::ResultFile file = run("zeros", suite_of(), {zeros});
  const suite::GateReport report = suite::judge_gate(baseline, file, today);
  ASSERT_EQ(failing(report), 1U);
  EXPECT_EQ(report.findings[0].verdict, "failed");
  EXPECT_EQ(report.findings[0].key.output, "dw");
  // A new case that fails is no merge either, though nothing is recorded of it.
  suite::Baseline first = baseline;
  std::erase_if(first, [](const auto& entry) { return entry.first.id.ends_with("s2"); });
  const suite::GateReport fresh = suite::judge_gate(first, file, today);
  EXPECT_EQ(fresh.new_cases, 1U);
  EXPECT_EQ(suite::exit_code(fresh), 1);
  // And no update takes it in.
  EXPECT_EQ(suite::update_baseline(first, file, today, "please", "").baseline, first);
}

// What the state before the change has, too, is not this change's doing.
TEST_F(Gate, LeavesOutWhatTheBaseHadAlready) {
  const suite::Baseline baseline = baseline_of(run("good", suite_of()));
  const suite::ResultFile before = run("before", suite_of(), {worse_on_seed_2()});
  const Candidate worse_on_both = kernel_with([](const CaseSpec&, Tensors& outputs) { worsen_one_channel(outputs); });
  const suite::GateReport same = suite::judge_gate(baseline, before, today, before);
  EXPECT_EQ(suite::exit_code(same), 0);
  ASSERT_EQ(same.findings.size(), 1U);
  EXPECT_TRUE(same.findings[0].inherited);
  const suite::GateReport more = suite::judge_gate(baseline, run("both", suite_of(), {worse_on_both}), today, before);
  ASSERT_EQ(failing(more), 1U);
  EXPECT_EQ(more.findings[0].key.id, "ConvRelu/f16/x=1x4x6x6/random");
}

TEST_F(Gate, PassesKnownFailuresUntilTheyExpireAndFailsThoseThatPass) {
  const std::string known =
      "version: 1\ncases:\n  - {op: ConvRelu, shape: 1x4x6x6, data: random}\n  - {op: ConvRelu, shape: 1x4x6x6, data: "
      "random, seed: 2}\nknown_failures:\n  - {match: {seed: 2}, owner: o, reason: r, expires: 2026-06-30}\n";
  const suite::ResultFile failing_file = run("known", parse_suite(known, "s.yaml"), {worse_on_seed_2()});
  const suite::Baseline baseline = baseline_of(failing_file);
  EXPECT_EQ(baseline.size(), 3U);  // of the first case only
  const suite::GateReport report = suite::judge_gate(baseline, failing_file, "2026-06-30");
  EXPECT_EQ(suite::exit_code(report), 0);
  EXPECT_EQ(report.known_failures, 1U);
  EXPECT_EQ(report.next_expiry, "2026-06-30");
  EXPECT_EQ(suite::exit_code(suite::judge_gate(baseline, failing_file, "2026-07-01")), 1);
  const suite::ResultFile repaired = run("repaired", parse_suite(known, "s.yaml"));
  const suite::GateReport passes = suite::judge_gate(baseline, repaired, "2026-06-30");
  ASSERT_EQ(failing(passes), 1U);
  EXPECT_EQ(passes.findings[0].verdict, "xpass");
}

// The command: table, repro, what to do, exit code; advisory says so and exits 0.
TEST_F(Gate, SaysItOnTheCommandLine) {
  const std::string place = folder_.path();
  run("good", suite_of());
  run("worse", suite_of(), {worse_on_seed_2()});
  const CommandResult first = run_fusecheck({"gate", "update", "good", "--baseline", "b.csv"}, place);
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("rows added 6 "));
  const std::string csv = read_bytes(folder_ / "b.csv");
  EXPECT_EQ(run_fusecheck({"gate", "good", "--baseline", "b.csv"}, place).exit_code, 0);

  const CommandResult failed = run_fusecheck({"gate", "worse", "--baseline", "b.csv", "--markdown", "gate.md"}, place);
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.out, HasSubstr("worse    ConvRelu/f16/x=1x4x6x6/random/s2  y random  max_ulp"));
  EXPECT_THAT(failed.out, HasSubstr("repro: fusecheck --case 'ConvRelu/f16/x=1x4x6x6/random/s2'\n"));
  EXPECT_THAT(failed.out, HasSubstr("\nFAIL  1 worse; nothing is netted"));
  EXPECT_THAT(read_bytes(folder_ / "gate.md"), HasSubstr("| worse | ConvRelu/f16/x=1x4x6x6/random/s2 | y random |"));

  const CommandResult advisory = run_fusecheck({"gate", "worse", "--baseline", "b.csv", "--advisory"}, place);
  EXPECT_EQ(advisory.exit_code, 0);
  EXPECT_THAT(advisory.out, HasSubstr("\nADVISORY  would fail: 1 worse"));

  const CommandResult kept = run_fusecheck({"gate", "update", "worse", "--baseline", "b.csv"}, place);
  EXPECT_EQ(kept.exit_code, 1);
  EXPECT_EQ(read_bytes(folder_ / "b.csv"), csv);
  const CommandResult accepted =
      run_fusecheck({"gate", "update", "worse", "--baseline", "b.csv", "--reason", "faster, MR 7"}, place);
  EXPECT_EQ(accepted.exit_code, 0) << accepted.out;
  EXPECT_THAT(read_bytes(folder_ / "b.csv"), HasSubstr(",\"faster, MR 7\"\n"));
  EXPECT_EQ(run_fusecheck({"gate", "worse", "--baseline", "b.csv"}, place).exit_code, 0);
  // Back to the better kernel: the rows tighten again, and then hold it to that.
  EXPECT_EQ(run_fusecheck({"gate", "update", "good", "--baseline", "b.csv"}, place).exit_code, 0);
  EXPECT_EQ(run_fusecheck({"gate", "worse", "--baseline", "b.csv"}, place).exit_code, 1);
}

TEST_F(Gate, UpdatesNothingInCi) {
  const std::string place = folder_.path();
  run("good", suite_of());
  const CommandResult refused =
      run_command({"env", "CI=true", FUSECHECK_BINARY, "gate", "update", "good", "--baseline", "b.csv"}, place);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("refused in CI"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "b.csv"));
}

TEST_F(Gate, NeedsItsBaseline) {
  const std::string place = folder_.path();
  run("good", suite_of());
  EXPECT_EQ(run_fusecheck({"gate", "good", "--baseline", "absent.csv"}, place).exit_code, 3);
  EXPECT_EQ(run_fusecheck({"gate", "good"}, place).exit_code, 2);
  EXPECT_EQ(run_fusecheck({"gate", "--baseline", "b.csv"}, place).exit_code, 2);
}

}  // namespace
}  // namespace fusecheck::testing
