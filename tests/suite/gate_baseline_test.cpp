// The baseline that a target of a suite or of a contract names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/run_command.hpp"
#include "support/temp_dir.hpp"

namespace fusecheck::testing {
namespace {

using ::testing::HasSubstr;

class GateBaseline : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder / "conf/acc");
    folder.write("conf/s.yaml",
                 "version: 1\ncases:\n  - relu/f16/x=2x8/random\n"
                 "targets:\n  a2: {model: ieee, baseline: acc/a2.csv}\n  a3: {model: ieee}\n");
    folder.write("conf/kernel.yaml", "version: 1\ntargets:\n  a2: {baseline: acc/a2.csv}\n  a5: {model: ieee}\n");
    for (const char* target : {"a2", "a3"}) {
      ASSERT_EQ(call({"run", "conf/s.yaml", "--target", target, "-o", target}).exit_code, 0);
    }
  }
  CommandResult call(const std::vector<std::string>& words) { return run_fusecheck(words, folder.path().string()); }
  void expect_refused(const std::vector<std::string>& words, const std::string& says) {
    const CommandResult result = call(words);
    EXPECT_EQ(result.exit_code, 2) << result.out;
    EXPECT_THAT(result.err, HasSubstr(says));
  }
  TempDir folder;
};

TEST_F(GateBaseline, IsThatOfTheRunsTargetBesideTheFileThatNamesIt) {
  const CommandResult first = call({"gate", "update", "a2", "--suite", "conf/s.yaml"});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_TRUE(std::filesystem::exists(folder / "conf/acc/a2.csv"));
  for (const char* flag : {"--suite", "--kernel"}) {
    const std::string file = flag == std::string("--suite") ? "conf/s.yaml" : "conf/kernel.yaml";
    const CommandResult result = call({"gate", "a2", flag, file});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("rows of conf/acc/a2.csv"));
  }
  // Another baseline, another verdict: without its one row nothing is compared.
  folder.write("conf/acc/a2.csv", read_bytes(folder / "conf/acc/a2.csv").substr(0, 0));
  EXPECT_NE(call({"gate", "a2", "--suite", "conf/s.yaml"}).exit_code, 0);
}

TEST_F(GateBaseline, IsRefusedWhereNobodySaysIt) {
  ASSERT_EQ(call({"run", "conf/s.yaml", "-o", "none"}).exit_code, 0);
  expect_refused({"gate", "a2"}, "gate needs --baseline FILE.csv, or --kernel or --suite");
  expect_refused({"gate", "a3", "--suite", "conf/s.yaml"}, "targets.a3 of 'conf/s.yaml' names no baseline");
  expect_refused({"gate", "a3", "--kernel", "conf/kernel.yaml"}, "is of target 'a3', which 'conf/kernel.yaml' has not");
  expect_refused({"gate", "none", "--suite", "conf/s.yaml"}, "'none' is of a run without --target");
  expect_refused({"gate", "a2", "--suite", "conf/s.yaml", "--baseline", "b.csv"},
                 "--baseline and --suite each say the baseline; give one of them");
}

}  // namespace
}  // namespace fusecheck::testing
