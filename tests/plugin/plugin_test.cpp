// --plugin: kernels in a shared library, in a worker process (kernels/relu_plugin.c).
#include "plugin_test_support.hpp"

namespace fusecheck::testing {
namespace {

using ::testing::HasSubstr;

TEST(Plugin, PassesARightKernelOnEveryDataSet) {
  const CommandResult result = run_relu_plugin("none", {}, "all");
  expect_pass(result);
  EXPECT_THAT(result.out, HasSubstr("PASS  y, 1 of 1 outputs given"));
}

TEST(Plugin, FailsWrongNumbersLikeAnyOther) {
  const CommandResult result = run_relu_plugin("wrong");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("FAIL  y of actual on random: 1 of 24 elements outside the limit"));
}

TEST(Plugin, NamesACrash) {
  expect_no_answer(run_relu_plugin("crash"), "the kernel ('relu_plugin.so') was ended by signal 6 (SIGABRT)");
  expect_no_answer(run_relu_plugin("null_pointer"), "the kernel ('relu_plugin.so') was ended by signal 11 (SIGSEGV)");
}

TEST(Plugin, NamesAnExit) { expect_no_answer(run_relu_plugin("exits"), "ended with code 0 without an answer"); }

TEST(Plugin, KillsAKernelThatHangs) {
  expect_no_answer(run_relu_plugin("hang", {"--timeout", "1"}), "did not end within 1 s and was killed");
}

TEST(Plugin, SaysWhyAKernelFailed) { expect_no_answer(run_relu_plugin("returns_error"), "no tiling for this shape"); }

TEST(Plugin, SkipsWhatIsNotSupported) {
  const CommandResult result = run_relu_plugin("unsupported");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.out, HasSubstr("SKIP  the kernel does not support the case: only relu in f32 is implemented\n"));
}

// 1.0f is 00 00 80 3f: two bytes differ from a guard of 0xa5 anyway, and so do the two zeros: 4 bytes. y has 96 bytes,
// and the float behind it ends 4 bytes further on.
TEST(Plugin, FindsWritesBehindATensor) {
  expect_rejected(run_relu_plugin("writes_after"),
                  "writes out of bounds: 4 bytes after the end of y, as far as byte +4");
}

// y[-2] begins 8 bytes before y.
TEST(Plugin, FindsWritesBeforeATensor) {
  expect_rejected(run_relu_plugin("writes_before"),
                  "writes out of bounds: 4 bytes before the start of y, as far as byte -8");
}

// Element 100,000 lies 400,000 bytes after the start of 96 bytes: at the 399,905th byte after the end.
TEST(Plugin, FindsWritesFarBehindATensor) {
  expect_rejected(run_relu_plugin("writes_far"), "accesses memory out of bounds, after the end of y, at byte +399905");
}

TEST(Plugin, NamesAnInputThatWasModified) {
  expect_rejected(run_relu_plugin("modifies_input"), "modifies its input x, first at element 3 of 24");
}

TEST(Plugin, CountsAnUnwrittenTail) {
  expect_rejected(run_relu_plugin("unwritten_tail"),
                  "leaves unwritten: 4 of 24 elements of y, all of them the last 4, from [1,2,0]");
}

// y += relu(x) reads what the output held before.
TEST(Plugin, FindsMemoryThatWasNeverWritten) {
  expect_rejected(run_relu_plugin("reads_output"),
                  "reads memory that it has not written: its result depends on what lay there before (y: ");
}

// y[2] is the number of the call: 1, then 2; the runs that tell why are the third and on.
TEST(Plugin, ComparesTwoRuns) {
  expect_rejected(run_relu_plugin("differs"),
                  "differs from run to run on the same input (y: 1 of 24 elements, first at "
                  "[0,0,2], 1 and 3)");
}

// y[0] is the largest element of any case so far: `stress` holds larger ones than `random`, so `random` gives other
// bits after it.
TEST(Plugin, RunsTheCasesInAnotherOrder) {
  const CommandResult result = run_relu_plugin("state_between_cases", {}, "all");
  expect_rejected(result, "the kernel keeps state: relu/f32/x=2x3x4/");
  EXPECT_THAT(result.out, HasSubstr("gives other bits (y: 1 of 24 elements, first at [0,0,0], "));
}

TEST(Plugin, RefusesLibrariesThatItDoesNotUnderstand) {
  expect_no_answer(run_relu_plugin("version"), "is made for version 99 of fusecheck_plugin.h, this is 1");
  expect_no_answer(run_relu_plugin("size"), "its table has 8 bytes");
  expect_no_answer(run_relu_plugin("null_function"), "its table holds a null function");
  expect_no_answer(run_relu({"--plugin", kernel_file("relu_exec")}), "cannot be loaded: ");
  expect_no_answer(run_relu({"--plugin", kernel_file("absent.so")}), "absent.so': no such file");
}

}  // namespace
}  // namespace fusecheck::testing
