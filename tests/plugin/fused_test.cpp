// The fused kernel with the argument list of an NPU's, forward and backward: as a program for each case, as one program
// for all, and as a plug-in.
#include "plugin_test_support.hpp"

namespace fusecheck::testing {
namespace {

using ::testing::HasSubstr;

// kernel.yaml beside the program that it names, as a kernel's author has it.
class Fused : public ::testing::Test {
 protected:
  Fused() {
    std::filesystem::copy_file(kernel_file("fused_exec"), folder_ / "fused_exec");
    std::filesystem::copy_file(source_file("kernel.yaml"), folder_ / "kernel.yaml");
  }
  CommandResult run(const Arguments& more) {
    Arguments arguments = {"--shape", "1x4x6x5", "--eps", "0.0009765625", "--kernel", "kernel.yaml"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_fusecheck(arguments, folder_.path().string());
  }
  TempDir folder_;
};

TEST_F(Fused, PassesAsACommandForEachCase) {
  const CommandResult result = run({});
  expect_pass(result);
  EXPECT_THAT(result.out, HasSubstr("PASS  dbeta dgamma dresidual dw dx y, 6 of 6 outputs given"));
  EXPECT_THAT(result.out, HasSubstr("recipe      epilogue; model ieee"));
}

TEST_F(Fused, PassesAsOneProcessForAllCases) { expect_pass(run({"--exec-batch", "./fused_exec", "--repeat", "2"})); }

TEST_F(Fused, PassesAsAPlugin) {
  expect_pass(run({"--plugin", kernel_file("fused_plugin.so")}));
  expect_pass(run({"--plugin", kernel_file("fused_plugin.so"), "--direction", "fwd"}));
  expect_pass(run({"--plugin", kernel_file("fused_plugin.so"), "--direction", "bwd"}));
}

TEST_F(Fused, IsNotForOtherShapes) {
  const CommandResult result = run_fusecheck({"--op", "ConvBnReluAdd", "--shape", "1x4x6x6", "--param-dtype", "f16",
                                              "--plugin", kernel_file("fused_plugin.so"), "--data", "random"});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.out, HasSubstr("made for ConvBnReluAdd in f16, parameters too, 1x4x6x5"));
}

TEST_F(Fused, IsNotForWhatItsContractExcludes) {
  const CommandResult other_op = run({"--op", "ConvBnRelu"});
  EXPECT_EQ(other_op.exit_code, 2);
  EXPECT_EQ(other_op.err, "fusecheck: kernel 'fused_conv_bn_relu_add' is for ConvBnReluAdd, the case is ConvBnRelu\n");
  EXPECT_EQ(run({"--recipe", "fold"}).exit_code, 2);
  EXPECT_EQ(run({"--dtype", "f32"}).exit_code, 2);
}

// fused_exec takes eps to be 2^-10; the variances of `random` are near 1, so 1/2 moves y by far more than f16's
// rounding.
TEST_F(Fused, FailsWithAnotherEpsilon) {
  const CommandResult result = run_fusecheck(
      {"--shape", "1x4x6x5", "--eps", "0.5", "--kernel", "kernel.yaml", "--data", "random"}, folder_.path().string());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("FAIL  y of actual on random"));
}

// A backward that reads the mask of the forward gets the emulation's, and is judged on it.
TEST(SavedTensors, ReachABackwardKernel) {
  const auto run = [](const std::string& more) {
    return run_fusecheck({"--shape", "1x1x32x32", "--oc", "1", "--kernel", "1", "--kernel",
                          source_file("conv_relu_grad.yaml"), "--exec",
                          "'" + kernel_file("conv_relu_grad_exec") + "' {dir}" + more});
  };
  const CommandResult right = run("");
  expect_pass(right);
  EXPECT_THAT(right.out, HasSubstr("PASS  dx, 1 of 2 outputs given"));
  const CommandResult without_mask = run(" ones");
  EXPECT_EQ(without_mask.exit_code, 1);
  EXPECT_THAT(without_mask.out, HasSubstr("FAIL  dx of actual on "));
}

TEST(SavedTensors, AreThoseThatTheForwardSaves) {
  const TempDir folder;
  folder.write("k.yaml", "version: 1\nop: ConvRelu\ndirection: bwd\nsaved: [masks]\nexec: run\n");
  const CommandResult result = run_fusecheck({"--shape", "1x1x4x4", "--kernel", (folder / "k.yaml").string()});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err,
            "fusecheck: the kernel reads 'masks', which the forward of ConvRelu does not save; it saves "
            "mask. Did you mean 'mask'?\n");
}

}  // namespace
}  // namespace fusecheck::testing
