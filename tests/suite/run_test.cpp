// Statuses and exit codes of a run, with kernels made up for the purpose.
#include <map>

#include "suite/reports.hpp"
#include "suite_run.hpp"

namespace fusecheck::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// One case for each seed; `extra` is appended.
Suite seeds(const std::string& list, const std::string& extra = "", const std::string& data = "random") {
  return parse_suite("version: 1\ndefaults: {data: " + data + "}\nmatrix:\n  - {op: ConvRelu, shape: 1x4x6x6, seed: [" +
                         list + "]}\n" + extra,
                     "s.yaml");
}

// Does for each seed what the number says: 1 right, 2 one element of y wrong, 3 unsupported, 4 crashed, 5 no output.
CandidateOutputs kernel_by_seed(const CandidateCase& one) {
  const CaseSpec& spec = one.spec;
  using Outcome = CandidateOutputs::Outcome;
  if (spec.seed == 3) return {Outcome::unsupported, {}, "no f16 on this chip"};
  if (spec.seed == 4) return {Outcome::failed, {}, "the kernel was ended by signal 11"};
  if (spec.seed == 5) return {};
  CandidateOutputs given{Outcome::ran, emulated_outputs_of(spec), ""};
  if (spec.seed == 2) {
    std::vector<double> y = given.outputs.at("y").doubles();
    y[7] = 2 * y[7] + 1;
    given.outputs["y"] = Tensor::from(DType::f16, given.outputs.at("y").shape(), std::span<const double>(y));
  }
  return given;
}

std::vector<std::string> statuses(const suite::ResultFile& file, const std::string& today = "2026-06-30") {
  std::vector<std::string> list;
  for (const suite::CaseRecord& record : records_of(file)) list.push_back(suite::status_on(record, today));
  return list;
}

TEST(SuiteRun, JudgesTheEmulationWithoutAKernel) {
  const TempDir folder;
  const suite::ResultFile file = run_suite(seeds("1, 2", "", "exact+random"), folder / "r");
  EXPECT_THAT(statuses(file), ElementsAre("pass", "pass"));
  const suite::CaseRecord first = records_of(file)[0];
  ASSERT_EQ(first.outputs.size(), 6U);  // y, dx, dw on two sets
  EXPECT_EQ(first.outputs[0].output + " " + first.outputs[0].set + " " + first.outputs[0].candidate, "y exact fused");
  EXPECT_EQ(first.outputs[0].n, 144);  // 1x4x6x6
  EXPECT_EQ(suite::exit_code(suite::count(file, "2026-06-30")), 0);
}

TEST(SuiteRun, GivesEveryCaseOneStatus) {
  const TempDir folder;
  const suite::ResultFile file = run_suite(seeds("1, 2, 3, 4, 5"), folder / "r", {kernel_by_seed});
  EXPECT_THAT(statuses(file), ElementsAre("pass", "fail", "skip", "error", "error"));
  const std::vector<suite::CaseRecord> records = records_of(file);
  EXPECT_THAT(records[1].reason, StartsWith("y of actual on random: 1 of 144 elements outside their limit"));
  EXPECT_EQ(records[1].repro, "fusecheck --case 'ConvRelu/f16/x=1x4x6x6/random/s2'");
  EXPECT_EQ(records[2].reason, "no f16 on this chip");
  EXPECT_EQ(records[3].reason, "the kernel was ended by signal 11");
  EXPECT_EQ(records[3].kind, "no_verdict");
  EXPECT_EQ(records[4].reason, "the kernel gave no output");
  EXPECT_EQ(suite::exit_code(suite::count(file, "2026-06-30")), 1);
}

// The limit of the suite decides: f16's spacing at 1 is 2^-10, and the wrong element is off by more than 1.
TEST(SuiteRun, ObeysTheLimitOfTheCase) {
  const TempDir folder;
  const std::string limit = "limits:\n  - {match: {op: ConvRelu}, ";
  const auto status = [&](const std::string& rest) {
    return statuses(run_suite(seeds("2", limit + rest), folder / "r", {kernel_by_seed}))[0];
  };
  EXPECT_EQ(status("atol: 1000}\n"), "weak");  // zeros would pass as well
  EXPECT_EQ(status("max_ulp: 4}\n"), "fail");
}

TEST(SuiteRun, KnowsKnownFailuresUntilTheyExpire) {
  const TempDir folder;
  const std::string known =
      "known_failures:\n  - {match: {op: ConvRelu}, owner: conv-team, reason: tail, expires: 2026-06-30}\n";
  const suite::ResultFile file = run_suite(seeds("1, 2, 3, 4", known), folder / "r", {kernel_by_seed});
  EXPECT_THAT(statuses(file, "2026-06-30"), ElementsAre("xpass", "xfail", "skip", "xfail"));
  EXPECT_THAT(statuses(file, "2026-07-01"), ElementsAre("xpass", "fail", "skip", "fail"));
  EXPECT_THAT(records_of(file)[0].reason, HasSubstr("known to fail (tail), and passes"));
  EXPECT_EQ(records_of(file)[1].known_failure->owner, "conv-team");
}

TEST(SuiteRun, StopsAfterTheFailuresThatItMayHave) {
  const TempDir folder;
  SuiteRun run{kernel_by_seed};
  run.jobs = 1;
  run.max_failures = 1;
  // One thread takes the cases in order: the second fails, no third begins.
  EXPECT_THAT(statuses(run_suite(seeds("1, 2, 6, 7"), folder / "r", run)), ElementsAre("pass", "fail"));
}

struct Ends {
  std::map<std::string, std::size_t, std::less<>> statuses, errors;
  int code;
};

// 70 > 2 > 1 > 3 > 4 > 0.
TEST(SuiteRun, EndsWithTheWorstExitCode) {
  const std::vector<Ends> all = {
      {{{"pass", 2}}, {}, 0},
      {{{"pass", 1}, {"skip", 5}, {"xfail", 2}, {"weak", 1}}, {}, 0},
      {{{"weak", 3}}, {}, 4},
      {{{"skip", 3}, {"xfail", 1}}, {}, 4},
      {{}, {}, 4},
      {{{"pass", 9}, {"error", 1}}, {{"no_verdict", 1}}, 3},
      {{{"weak", 9}, {"error", 1}}, {{"no_verdict", 1}}, 3},
      {{{"pass", 9}, {"fail", 1}, {"error", 1}}, {{"no_verdict", 1}}, 1},
      {{{"pass", 9}, {"xpass", 1}}, {}, 1},
      {{{"fail", 9}, {"error", 1}}, {{"usage", 1}}, 2},
      {{{"fail", 9}, {"error", 2}}, {{"usage", 1}, {"internal", 1}}, 70},
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    suite::Counts counts;
    counts.by_status = all[i].statuses;
    counts.errors = all[i].errors;
    EXPECT_EQ(suite::exit_code(counts), all[i].code) << i;
  }
}

// A record says no time and no order: one thread and three leave the same bytes.
TEST(SuiteRun, LeavesTheSameBytesForAnyNumberOfThreads) {
  const TempDir folder;
  const Suite suite = seeds("1, 2, 3, 4, 5, 6, 7, 8");
  SuiteRun run{kernel_by_seed};
  run.jobs = 1;
  run_suite(suite, folder / "one", run);
  run.jobs = 3;
  run_suite(suite, folder / "three", run);
  EXPECT_EQ(read_bytes(folder / "one"), read_bytes(folder / "three"));
}

}  // namespace
}  // namespace fusecheck::testing
