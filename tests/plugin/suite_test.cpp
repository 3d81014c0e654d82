// 'fusecheck run' with a kernel: whatever one case does to it, the others are judged.
#include <nlohmann/json.hpp>
#include <sstream>

#include "plugin_test_support.hpp"

namespace fusecheck::testing {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// relu on three shapes, and a ConvRelu that no kernel here does.
const char* const suite_text =
    "version: 1\n"
    "cases:\n"
    "  - {op: relu, shape: 2x3x4, dtype: f32, direction: fwd, data: random}\n"
    "  - {op: relu, shape: 5x7, dtype: f32, data: exact+random}\n"
    "  - {op: ConvRelu, shape: 1x1x4x4, dtype: f32, direction: fwd, data: random}\n"
    "  - {op: relu, shape: 3x7, dtype: f32, direction: fwd, data: all}\n";

struct KernelRun {
  CommandResult result;
  json header;
  std::vector<json> records;
  std::vector<std::string> statuses;
};

KernelRun run_suite_with(const Arguments& kernel) {
  const TempDir folder;
  folder.write("s.yaml", suite_text);
  Arguments arguments = {"run", "s.yaml", "-o", "r.jsonl", "--progress", "never", "--jobs", "2"};
  arguments.insert(arguments.end(), kernel.begin(), kernel.end());
  KernelRun run{run_fusecheck(arguments, folder.path().string()), {}, {}, {}};
  std::istringstream lines(read_bytes(folder / "r.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    json one = json::parse(line);
    if (run.header.is_null()) {
      run.header = std::move(one);
    } else {
      run.statuses.push_back(one["status"]);
      run.records.push_back(std::move(one));
    }
  }
  return run;
}

Arguments program(const std::string& fault) {
  return {"--kernel", source_file("relu.yaml"), "--exec", "'" + kernel_file("relu_exec") + "' " + fault + " {dir}"};
}

// The contract says relu, forward: the case with a backward is judged forward only, and ConvRelu is not for this
// kernel.
TEST(SuiteKernel, JudgesItAndSkipsWhatItIsNotFor) {
  const KernelRun run = run_suite_with(program("none"));
  EXPECT_EQ(run.result.exit_code, 0) << run.result.out << run.result.err;
  EXPECT_THAT(run.statuses, ElementsAre("pass", "pass", "skip", "pass"));
  EXPECT_EQ(run.records[2]["reason"], "kernel 'relu' is for relu, the case is ConvRelu");
  EXPECT_EQ(run.header["kernel"], "relu");
  EXPECT_EQ(run.header["contract"].get<std::string>().size(), 64U);
  EXPECT_EQ(run.records[1]["outputs"].size(), 2U);  // y on two data sets
  EXPECT_EQ(run.records[1]["outputs"][0]["candidate"], "actual");
}

TEST(SuiteKernel, GoesOnAfterACrash) {
  const KernelRun run = run_suite_with(program("crash"));
  EXPECT_EQ(run.result.exit_code, 3);
  EXPECT_THAT(run.statuses, ElementsAre("error", "error", "skip", "error"));
  EXPECT_THAT(run.records[3]["reason"].get<std::string>(), HasSubstr("was ended by signal 6 (SIGABRT); it last said: "
                                                                     "tile 30"));
  EXPECT_THAT(run.records[3]["repro"].get<std::string>(),
              HasSubstr("' --kernel " + source_file("relu.yaml") + " --exec "));
}

TEST(SuiteKernel, GoesOnAfterAHang) {
  Arguments kernel = program("hang");
  kernel.insert(kernel.end(), {"--timeout", "1", "--filter", "2x3x4|ConvRelu"});
  const KernelRun run = run_suite_with(kernel);
  EXPECT_EQ(run.result.exit_code, 3);
  EXPECT_THAT(run.statuses, ElementsAre("error", "skip"));
}

TEST(SuiteKernel, FailsWhatIsRejected) {
  const KernelRun run = run_suite_with(program("unwritten_tail"));
  EXPECT_EQ(run.result.exit_code, 1);
  EXPECT_EQ(run.statuses[0], "fail");
  EXPECT_EQ(run.records[0]["reason"],
            "the kernel leaves unwritten: 4 of 24 elements of y, all of them the last 4, from [1,2,0]");
}

// One worker serves many cases, and a write out of bounds in one does not reach the next.
TEST(SuiteKernel, RunsPlugins) {
  Arguments kernel = {"--kernel", source_file("relu.yaml"), "--plugin", kernel_file("relu_plugin.so")};
  const KernelRun right = run_suite_with(kernel);
  EXPECT_EQ(right.result.exit_code, 0) << right.result.out << right.result.err;
  EXPECT_THAT(right.statuses, ElementsAre("pass", "pass", "skip", "pass"));
  const Environment environment("RELU_FAULT", "writes_after");
  const KernelRun wrong = run_suite_with(kernel);
  EXPECT_EQ(wrong.result.exit_code, 1);
  EXPECT_THAT(wrong.statuses, ElementsAre("fail", "fail", "skip", "fail"));
  EXPECT_EQ(wrong.records[3]["reason"], "writes out of bounds: 4 bytes after the end of y, as far as byte +4");
}

// No folder's name, no process id: the same kernel leaves the same bytes.
TEST(SuiteKernel, LeavesTheSameBytes) {
  const KernelRun first = run_suite_with(program("short")), second = run_suite_with(program("short"));
  EXPECT_THAT(first.records[0]["reason"].get<std::string>(), HasSubstr("{dir}/y.bin: has 80 bytes, expected 96"));
  EXPECT_EQ(first.records, second.records);
}

}  // namespace
}  // namespace fusecheck::testing
