// --exec and --exec-batch: what a command may do, and what it is called when it does something else. Every kernel is a
// real process (kernels/relu_exec.c).
#include "plugin_test_support.hpp"

namespace fusecheck::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Exec, PassesARightKernelOnEveryDataSet) {
  const CommandResult result = run_relu_program("none", {}, "all");
  expect_pass(result);
  EXPECT_THAT(result.out, HasSubstr("PASS  y, 1 of 1 outputs given"));
}

TEST(Exec, FailsWrongNumbersLikeAnyOther) {
  const CommandResult result = run_relu_program("wrong");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("FAIL  y of actual on random: 1 of 24 elements outside the limit"));
  EXPECT_THAT(result.out, HasSubstr("[0,0,1]    1000"));
  EXPECT_THAT(result.out, HasSubstr("--kernel " + source_file("relu.yaml") + " --exec "));  // the repro line
}

// It printed 30 lines; the last 20 are 11 to 30.
TEST(Exec, ShowsASignalAndTheLastTwentyLines) {
  const CommandResult result = run_relu_program("crash");
  expect_no_answer(result, "on random the kernel (");
  EXPECT_THAT(result.err, HasSubstr(") was ended by signal 6 (SIGABRT); repro: fusecheck --case 'relu/f32/x=2x3x4"));
  EXPECT_THAT(result.err, ::testing::StartsWith("kernel: tile 11\nkernel: tile 12\n"));
  EXPECT_THAT(result.err, HasSubstr("kernel: tile 30\nfusecheck: on random"));
}

TEST(Exec, KillsAKernelThatHangs) {
  expect_no_answer(run_relu_program("hang", {"--timeout", "1"}), "did not end within 1 s and was killed");
}

TEST(Exec, TakesAnyOtherCodeForAnError) { expect_no_answer(run_relu_program("exit_3"), "ended with code 3"); }

TEST(Exec, Skips77) {
  const CommandResult result = run_relu_program("unsupported");
  EXPECT_EQ(result.exit_code, 4) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("SKIP  the kernel does not support the case: no f32 on this chip\n"));
}

TEST(Exec, NamesAMissingOutputAndOneOfTheWrongSize) {
  expect_no_answer(run_relu_program("missing"), "the kernel's y (y.bin) is missing");
  expect_no_answer(run_relu_program("short"), "the kernel's y (y.bin) cannot be used");  // 80 bytes, 96 are needed
}

TEST(Exec, NamesAnOutputThatWasNotWritten) {
  expect_no_answer(run_relu_program("writes_nothing"), "did not write its output y (y.bin)");
}

// 20 of 24 are written; element 20 of 2x3x4 is [1,2,0].
TEST(Exec, CountsAnUnwrittenTail) {
  expect_rejected(run_relu_program("unwritten_tail"),
                  "leaves unwritten: 4 of 24 elements of y, all of them the last 4, from [1,2,0]");
}

TEST(Exec, NamesAnInputThatWasModified) {
  expect_rejected(run_relu_program("modifies_input"), "the kernel modifies its input x (x.bin)");
}

// The program writes its process id; each run is a process of its own.
TEST(Exec, RepeatsAndComparesBits) {
  expect_rejected(run_relu_program("differs", {"--repeat", "2"}),
                  "differs from run to run on the same input (y: 1 of 24 elements, first at [0,0,2], ");
  expect_pass(run_relu_program("none", {"--repeat", "3"}));
}

// malloc's memory holds other bytes in each run (MALLOC_PERTURB_), and stays what it is where x is not positive.
TEST(Exec, FindsMemoryThatWasNeverWritten) {
  expect_rejected(run_relu_program("skips_negative", {"--repeat", "2"}),
                  "reads memory that it has not written: its result depends on what lay there before (y: ");
}

TEST(Exec, NamesAProgramThatIsNotThere) {
  const CommandResult result = run_relu({"--exec", "./no_such_program {dir}"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.err,
            "fusecheck: the kernel's program './no_such_program' cannot be started: "
            "No such file or directory\n");
}

TEST(Exec, RefusesUnknownPlaceholders) {
  const CommandResult result = run_relu({"--exec", "run {dri}"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "fusecheck: --exec: unknown placeholder '{dri}'; there are {case}, {dir}\n");
}

// ---- a body
// ----------------------------------------------------------------------------------------------------------

TEST(Body, IsAnOpLikeAnyOther) {
  const TempDir folder;
  folder.write("k.yaml",
               "version: 1\nbody: y = relu(x)\ndtype: f32\ndirection: fwd\n"
               "tensors: {x: {file: x.bin}, y: {file: y.bin}}\n");
  const auto run = [&](const std::string& fault) {
    return run_fusecheck({"--shape", "2x3x4", "--data", "random", "--kernel", (folder / "k.yaml").string(), "--exec",
                          "'" + kernel_file("relu_exec") + "' " + fault + " {dir}"});
  };
  expect_pass(run("none"));
  EXPECT_EQ(run("wrong").exit_code, 1);
}

// ---- layouts --------------------------------------------------------------------------------------------------------

// 1x3x2x2 f32 in nc1hwc0 is 1x1x2x2x8: 32 elements, 20 of them padding. relu of padding is padding.
CommandResult run_blocked(const std::string& fault) {
  const TempDir folder;
  folder.write("k.yaml",
               "version: 1\nop: relu\ndtype: f32\ndirection: fwd\n"
               "tensors:\n  x: {file: x.bin, layout: nc1hwc0}\n  y: {file: y.bin, layout: nc1hwc0}\n"
               "exec: \"'" +
                   kernel_file("relu_exec") + "' " + fault + " {dir}\"\n");
  return run_fusecheck({"--shape", "1x3x2x2", "--data", "random", "--kernel", (folder / "k.yaml").string()});
}

TEST(Layouts, AreWrittenAndReadAsTheContractSays) {
  expect_pass(run_blocked("none"));
  // Element 1 of the buffer is channel 1 of the first pixel.
  const CommandResult wrong = run_blocked("wrong");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.out, HasSubstr("[0,1,0,0]    1000"));
}

// Lane 5 of the first pixel belongs to no channel.
TEST(Layouts, HavePaddingThatIsZero) {
  expect_rejected(run_blocked("dirty_padding"), "leaves 1 of 20 padding lanes of y (nc1hwc0) not zero");
}

// ---- one process for many cases -----------------------------------------------------------------------------------

CommandResult run_batch(const std::string& fault, const Arguments& more = {}) {
  Arguments how = {"--kernel", source_file("relu.yaml"), "--exec-batch", "'" + kernel_file("relu_exec") + "' " + fault};
  how.insert(how.end(), more.begin(), more.end());
  return run_relu(how, "all");
}

TEST(ExecBatch, PassesARightKernel) {
  expect_pass(run_batch("none"));
  expect_pass(run_batch("none", {"--repeat", "2"}));
}

TEST(ExecBatch, HearsWhatAKernelRefuses) {
  const CommandResult result = run_batch("refuses");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.out, HasSubstr("SKIP  the kernel does not support the case: no such tile\n"));
}

// The second of three data sets ends the process; the third gets a new one. No verdict, since nothing failed.
TEST(ExecBatch, NamesTheCaseThatEndedTheProcess) {
  const CommandResult result = run_batch("crash_second");
  expect_no_answer(result, "on random the kernel (");
  EXPECT_THAT(result.err, HasSubstr("was ended by signal 6 (SIGABRT)"));
  EXPECT_THAT(result.err, Not(HasSubstr("on stress")));
}

TEST(ExecBatch, KillsAKernelThatFallsSilent) {
  const CommandResult result = run_relu({"--kernel", source_file("relu.yaml"), "--exec-batch",
                                         "'" + kernel_file("relu_exec") + "' hang", "--timeout", "1"});
  expect_no_answer(result, "did not end within 1 s and was killed");
}

}  // namespace
}  // namespace fusecheck::testing
