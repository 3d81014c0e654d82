// A run that is killed and resumed, and one that is split, leave the bytes of one that was neither.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "suite_run.hpp"
#include "support/run_command.hpp"

namespace fusecheck::testing {
namespace {

using ::testing::HasSubstr;

std::string suite_text() {
  std::string seeds;
  for (int i = 1; i <= 40; ++i) seeds += (i > 1 ? "," : "") + std::to_string(i);
  return "version: 1\ndefaults: {data: exact, direction: fwd}\nmatrix:\n  - {op: [ConvRelu, ConvBn, ConvAdd], shape: "
         "1x4x6x6, "
         "seed: [" +
         seeds + "]}\n";
}

std::ptrdiff_t lines_in(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return 0;
  const std::string bytes = read_bytes(file);
  return std::count(bytes.begin(), bytes.end(), '\n');
}

// Starts the program, and kills it as soon as `file` has so many lines. Whether it was still running then.
bool kill_when(const std::filesystem::path& file, std::ptrdiff_t lines, std::vector<std::string> arguments, int with) {
  const pid_t child = start_fusecheck(std::move(arguments));
  int status = 0;
  while (lines_in(file) < lines && waitpid(child, &status, WNOHANG) == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  kill(child, with);
  waitpid(child, &status, 0);
  if (with == SIGKILL) return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  return WIFEXITED(status) && WEXITSTATUS(status) == 128 + with;
}

class Interrupted : public ::testing::Test {
 protected:
  void SetUp() override {
    suite_ = folder_.write("s.yaml", suite_text());
    whole_ = folder_ / "whole.jsonl";
    const CommandResult result = run_fusecheck({"run", suite_, "-o", whole_, "-q"});
    ASSERT_EQ(result.exit_code, 0) << result.err << result.out;
    ASSERT_EQ(lines_in(whole_), 121);
  }
  TempDir folder_;
  std::string suite_, whole_;
};

TEST_F(Interrupted, ByKillNineAndResumedIsByteForByteTheSame) {
  const std::string path = folder_ / "killed.jsonl";
  ASSERT_TRUE(kill_when(path, 11, {"run", suite_, "-o", path, "-j", "2"}, SIGKILL)) << "it ended before it was killed";
  const std::ptrdiff_t before = lines_in(path);
  EXPECT_GE(before, 11);
  ASSERT_LT(before, 121);
  EXPECT_NE(read_bytes(path), read_bytes(whole_));
  // A second kill, in a run that resumes.
  ASSERT_TRUE(kill_when(path, before + 5, {"run", suite_, "-o", path, "-j", "2", "--resume"}, SIGKILL));
  const CommandResult result = run_fusecheck({"run", suite_, "-o", path, "--resume"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("PASS  120 of 120 cases"));
  EXPECT_EQ(read_bytes(path), read_bytes(whole_));
}

TEST_F(Interrupted, ByTheKeyboardKeepsWhatIsDone) {
  const std::string path = folder_ / "interrupted.jsonl";
  ASSERT_TRUE(kill_when(path, 11, {"run", suite_, "-o", path, "-j", "2"}, SIGINT));
  const std::string bytes = read_bytes(path);
  ASSERT_EQ(bytes.back(), '\n');  // what had begun was finished
  EXPECT_EQ(run_fusecheck({"run", suite_, "-o", path, "--resume"}).exit_code, 0);
  EXPECT_EQ(read_bytes(path), read_bytes(whole_));
}

TEST_F(Interrupted, CannotBeMergedOrGated) {
  const std::string path = folder_ / "killed.jsonl";
  ASSERT_TRUE(kill_when(path, 11, {"run", suite_, "-o", path, "-j", "2"}, SIGKILL));
  const CommandResult merged = run_fusecheck({"merge", path, "-o", folder_ / "all.jsonl"});
  EXPECT_EQ(merged.exit_code, 3);
  EXPECT_THAT(merged.err, HasSubstr("but a run was interrupted"));
  ASSERT_EQ(run_fusecheck({"gate", "update", whole_, "--baseline", folder_ / "b.csv"}).exit_code, 0);
  EXPECT_EQ(run_fusecheck({"gate", path, "--baseline", folder_ / "b.csv"}).exit_code, 3);
}

TEST_F(Interrupted, OrSplitIntoShardsIsByteForByteTheSame) {
  for (const int count : {1, 3, 8}) {
    std::vector<std::string> merge = {"merge", "-o", folder_ / "all.jsonl"};
    for (int k = 1; k <= count; ++k) {
      const std::string shard = std::to_string(k) + "/" + std::to_string(count);
      const std::string path = folder_ / ("shard" + std::to_string(k) + "of" + std::to_string(count));
      const CommandResult result = run_fusecheck({"run", suite_, "--shard", shard, "-o", path});
      EXPECT_EQ(result.exit_code, 0) << shard << result.err;
      merge.push_back(path);
    }
    EXPECT_EQ(run_fusecheck(merge).exit_code, 0);
    EXPECT_EQ(read_bytes(folder_ / "all.jsonl"), read_bytes(whole_)) << count;
    if (count == 1) continue;
    merge.pop_back();
    const CommandResult incomplete = run_fusecheck(merge);
    EXPECT_EQ(incomplete.exit_code, 3);
    const std::string missing = std::to_string(count) + "/" + std::to_string(count);
    EXPECT_THAT(incomplete.err, HasSubstr("(missing " + missing + ")"));
  }
}

TEST_F(Interrupted, RefusesToResumeAnotherRun) {
  const CommandResult other = run_fusecheck({"run", suite_, "--sample", "3", "-o", whole_, "--resume"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("is of another run"));
  const CommandResult twice = run_fusecheck({"run", suite_, "-o", whole_});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.err, HasSubstr("exists; go on with it by --resume, or replace it by --overwrite"));
}

}  // namespace
}  // namespace fusecheck::testing
