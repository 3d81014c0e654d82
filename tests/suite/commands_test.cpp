// 'run', 'merge' and 'gate' as commands: what they refuse, and what they print.
#include <map>

#include "suite_run.hpp"
#include "support/run_command.hpp"

namespace fusecheck::testing {
namespace {

using ::testing::HasSubstr;

class SuiteCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write(
        "s.yaml",
        "version: 1\ndefaults: {data: random}\nmatrix:\n  - {op: ConvRelu, shape: 1x4x6x6, seed: [1, 2, 3]}\n");
  }
  CommandResult call(std::vector<std::string> arguments) { return run_fusecheck(std::move(arguments), folder_.path()); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_.path()), {}));
  }
  TempDir folder_;
};

struct Refused {
  std::vector<std::string> arguments;
  int code;
  std::string says;
};

TEST_F(SuiteCommand, RefusesInOneLineAndWritesNothing) {
  folder_.write("text", "no results\n");
  const std::vector<Refused> all = {
      {{"run"}, 2, "run takes a SUITE: a file, or one of pr, resnet50, smoke, transformer"},
      {{"run", "smokey"}, 3, "Did you mean 'smoke'?"},
      {{"run", "absent.yaml"}, 3, "'absent.yaml' is neither a file"},
      {{"run", "s.yaml", "smoke"}, 2, "'smoke' is one too many"},
      {{"run", "s.yaml", "--outptu", "r"}, 2, "unknown option '--outptu'. Did you mean '--output'?"},
      {{"run", "s.yaml", "--shard", "4/3", "-o", "r"}, 2, "--shard '4/3' is not K/N"},
      {{"run", "s.yaml", "--filter", "(", "-o", "r"}, 2, "is not a regular expression"},
      {{"run", "s.yaml", "--jobs", "0", "-o", "r"}, 2, "--jobs 0 is outside 1..1024"},
      {{"run", "s.yaml", "--sample", "0", "-o", "r"}, 2, "--sample 0 is outside"},
      {{"run", "s.yaml", "--target", "a2", "-o", "r"}, 2, "the suite has none"},
      {{"run", "s.yaml", "--today", "yesterday", "-o", "r"}, 2, "is not a date"},
      {{"run", "s.yaml", "--progress", "loud", "-o", "r"}, 2, "none of auto, plain, never"},
      {{"run", "s.yaml", "-o", "no/such/folder/r"}, 3, "cannot be written"},
      {{"run", "s.yaml", "-o"}, 2, "--output has no value"},
      {{"merge"}, 2, "merge takes the results of all shards"},
      {{"merge", "text"}, 2, "merge needs --output"},
      {{"merge", "text", "-o", "r"}, 2, "text:1: no header of fusecheck.run/1"},
      {{"merge", "absent", "-o", "r"}, 3, "'absent' cannot be read"},
      {{"gate", "text", "--baseline", "text"}, 2, "text:1: not the columns of a baseline"},
      {{"gate", "text", "--baseline", "text", "--reason", "r"}, 2, "--reason is for 'fusecheck gate update'"},
  };
  const std::size_t before = files();
  for (const Refused& one : all) {
    const CommandResult result = call(one.arguments);
    EXPECT_EQ(result.exit_code, one.code) << result.err;
    EXPECT_THAT(result.err, HasSubstr(one.says));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(files(), before) << one.says;
  }
}

TEST_F(SuiteCommand, PrintsTheVerdictLast) {
  const CommandResult result = call({"run", "s.yaml", "-j", "1", "-o", "r.jsonl"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(result.out.ends_with("\npass 3  fail 0\nPASS  3 of 3 cases\n")) << result.out;
  EXPECT_EQ(call({"run", "s.yaml", "-q", "--overwrite", "-o", "r.jsonl"}).out, "PASS  3 of 3 cases\n");
  const CommandResult all = call({"run", "s.yaml", "-v"});
  EXPECT_THAT(all.out, HasSubstr("PASS   ConvRelu/f16/x=1x4x6x6/random/s2\n"));
}

TEST_F(SuiteCommand, ProvesNothingWithoutACase) {
  const CommandResult result = call({"run", "s.yaml", "--filter", "nothing like it", "-o", "r.jsonl"});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_EQ(result.out, "NOTHING PROVEN  no case of suite s was selected\n");
}

// A limit that zeros would meet: weak, and weak alone is exit 4. A limit that rounding breaks (a sum of 36 products in
// f32 is not correctly rounded 144 times over): fail, with its repro.
TEST_F(SuiteCommand, EndsWithTheExitCodeOfItsCases) {
  const std::string text =
      "version: 1\ncases:\n  - {op: ConvRelu, shape: 1x4x6x6, data: random, dtype: f32}\nlimits:\n  - {match: {op: "
      "ConvRelu}, ";
  folder_.write("weak.yaml", text + "atol: 1000}\n");
  folder_.write("fail.yaml", text + "tol: exact}\n");
  const CommandResult weak = call({"run", "weak.yaml"});
  EXPECT_EQ(weak.exit_code, 4) << weak.out;
  EXPECT_THAT(weak.out, HasSubstr("WEAK   ConvRelu/f32/x=1x4x6x6/random\n"));
  EXPECT_THAT(weak.out, HasSubstr("NOTHING PROVEN  none of 1 case passed\n"));
  const CommandResult fail = call({"run", "fail.yaml"});
  EXPECT_EQ(fail.exit_code, 1) << fail.out;
  const std::string repro = "fusecheck --case 'ConvRelu/f32/x=1x4x6x6/random' --tol exact";
  EXPECT_THAT(fail.out, HasSubstr("\n       repro: " + repro + "\n"));
  EXPECT_EQ(call({"--case", "ConvRelu/f32/x=1x4x6x6/random", "--tol", "exact"}).exit_code, 1);
}

TEST_F(SuiteCommand, WritesTheReportsThatItIsAskedFor) {
  ASSERT_EQ(call({"run", "s.yaml", "--junit", "j.xml", "--csv", "c.csv", "--markdown", "m.md"}).exit_code, 0);
  EXPECT_THAT(read_bytes(folder_ / "j.xml"), HasSubstr("tests=\"3\" failures=\"0\""));
  const std::string csv = read_bytes(folder_ / "c.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 10);  // the columns; y, dx, dw of three cases
  EXPECT_THAT(read_bytes(folder_ / "m.md"), HasSubstr("pass 3  fail 0 of 3 cases"));
  EXPECT_EQ(files(), 4U);  // and the suite: nothing else is left
}

TEST_F(SuiteCommand, TakesItsShardFromTheJob) {
  std::vector<std::string> merge = {"merge", "-o", "all"};
  for (const char* node : {"1", "2"}) {
    const CommandResult result =
        run_command({"env", std::string("CI_NODE_INDEX=") + node, "CI_NODE_TOTAL=2", FUSECHECK_BINARY, "run", "s.yaml",
                     "--shard", "auto", "-o", std::string("part") + node},
                    folder_.path());
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, HasSubstr(std::string("shard ") + node + "/2 from CI_NODE_INDEX=" + node));
    merge.push_back(std::string("part") + node);
  }
  EXPECT_EQ(call(merge).exit_code, 0);
  EXPECT_EQ(call({"run", "s.yaml", "-o", "whole"}).exit_code, 0);
  EXPECT_EQ(read_bytes(folder_ / "all"), read_bytes(folder_ / "whole"));
}

TEST_F(SuiteCommand, ListsSuitesAndTheirCases) {
  EXPECT_THAT(call({"list", "suites"}).out, HasSubstr("resnet50"));
  EXPECT_EQ(call({"list", "cases", "s.yaml"}).out,
            "ConvRelu/f16/x=1x4x6x6/random\nConvRelu/f16/x=1x4x6x6/random/s2\nConvRelu/f16/x=1x4x6x6/random/s3\n");
}

}  // namespace
}  // namespace fusecheck::testing
