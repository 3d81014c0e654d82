#include "plugin/contract.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "support/expect_error.hpp"
#include "support/temp_dir.hpp"

namespace fusecheck::plugin {
namespace {

using ::testing::ElementsAre;

const std::string whole = R"(version: 1
name: conv_v2
op: ConvBnRelu
dtype: [f16, bf16]
direction: bwd
recipe: conv_saved
round: {bn: f16}
model: ascend-a2
saved: [conv, mask]
outputs: [dx, dw]
tensors:
  x: {file: input/x.bin, layout: nc1hwc0}
  dw: {dtype: f32}
exec: ./run {dir}
timeout: 2.5
repeat: 3
targets:
  a3: {model: "mma:8,24", recipe: epilogue}
)";

TEST(Contract, SaysEverythingOnce) {
  const Contract contract = parse_contract(whole, "k/kernel.yaml");
  EXPECT_EQ(contract.name, "conv_v2");
  EXPECT_EQ(contract.op, "ConvBnRelu");
  EXPECT_THAT(contract.dtypes, ElementsAre(DType::f16, DType::bf16));
  EXPECT_EQ(contract.direction, Passes::backward);
  EXPECT_EQ(contract.recipe, "conv_saved");
  EXPECT_EQ(contract.rounds.at("bn"), "f16");
  EXPECT_EQ(contract.model, "ascend-a2");
  EXPECT_THAT(contract.saved, ElementsAre("conv", "mask"));
  EXPECT_THAT(contract.outputs, ElementsAre("dx", "dw"));
  EXPECT_EQ(contract.files.at("x").file, "input/x.bin");
  EXPECT_EQ(contract.files.at("x").layout.kind, tensor::LayoutKind::nc1hwc0);
  EXPECT_EQ(contract.tensor_dtypes.at("dw"), DType::f32);
  EXPECT_EQ(contract.exec, "./run {dir}");
  EXPECT_EQ(contract.timeout, 2.5);
  EXPECT_EQ(contract.repeat, 3);
}

TEST(Contract, TakesModelAndRecipeFromATarget) {
  const Contract contract = parse_contract(whole, "k", "a3");
  EXPECT_EQ(contract.model, "mma:8,24");
  EXPECT_EQ(contract.recipe, "epilogue");
  fusecheck::testing::expect_error(
      ErrorKind::usage, ::testing::HasSubstr("--target 'a4' is no target of 'k'; there are a3. Did you mean 'a3'?"),
      [] { parse_contract(whole, "k", "a4"); });
}

TEST(Contract, FillsInWhatTheCaseLeavesOpen) {
  CaseSpec spec;
  spec.op = "ConvBnRelu";
  declare(parse_contract(whole, "k"), spec);
  EXPECT_EQ(spec.passes, Passes::backward);
  EXPECT_EQ(spec.recipe, "conv_saved");
  EXPECT_EQ(spec.rounds.at("bn"), "f16");
  EXPECT_EQ(to_text(spec.model), "ascend-a2");
  EXPECT_TRUE(spec.model_given);
  EXPECT_EQ(spec.tensor_dtypes.at("dw"), DType::f32);
}

std::string mismatch_of(const std::function<void(CaseSpec&)>& change) {
  CaseSpec spec;
  spec.op = "ConvBnRelu";
  change(spec);
  return mismatch(parse_contract(whole, "k"), spec).value_or("");
}

TEST(Contract, IsForItsCasesOnly) {
  EXPECT_EQ(mismatch_of([](CaseSpec&) {}), "");
  EXPECT_EQ(mismatch_of([](CaseSpec& spec) { spec.op = "ConvRelu"; }),
            "kernel 'conv_v2' is for ConvBnRelu, the case is ConvRelu");
  EXPECT_EQ(mismatch_of([](CaseSpec& spec) { spec.dtype = DType::f32; }),
            "kernel 'conv_v2' is for f16, bf16, the case is f32");
  EXPECT_EQ(mismatch_of([](CaseSpec& spec) { spec.passes = Passes::forward; }),
            "kernel 'conv_v2' is backward, the case is forward");
  EXPECT_EQ(mismatch_of([](CaseSpec& spec) { spec.recipe = "fold"; }),
            "kernel 'conv_v2' is computed by recipe conv_saved, the case asks for fold");
  EXPECT_EQ(mismatch_of([](CaseSpec& spec) { spec.tensor_dtypes["dw"] = DType::f16; }),
            "kernel 'conv_v2' is for dw in f32, the case has it in f16");
}

TEST(Contract, MayWriteTheOpDown) {
  const Contract contract = parse_contract("version: 1\nbody: 'y =relu( x )'\n", "k");
  CaseSpec spec;
  spec.op = "body";
  spec.body = contract.body;
  EXPECT_EQ(mismatch(contract, spec), std::nullopt);
  spec.body += " ";
  EXPECT_THAT(mismatch(contract, spec).value_or(""), ::testing::HasSubstr("is for the body '"));
  spec = {};
  spec.op = "relu";
  EXPECT_EQ(mismatch(contract, spec), "kernel 'k' is for body, the case is relu");
}

// Results of two contracts may be compared when this is equal: a command or a time-out has no say in a verdict.
TEST(Contract, IsKnownByWhatDecidesAVerdict) {
  const auto sha256 = [](const std::string& from, const std::string& to) {
    std::string text = whole;
    text.replace(text.find(from), from.size(), to);
    return parse_contract(text, "k").sha256;
  };
  const std::string same = parse_contract(whole, "k").sha256;
  EXPECT_EQ(sha256("./run {dir}", "./fast {dir}"), same);
  EXPECT_EQ(sha256("timeout: 2.5", "timeout: 60"), same);
  EXPECT_NE(sha256("conv_saved", "epilogue"), same);
  EXPECT_NE(sha256("layout: nc1hwc0", "layout: nhwc"), same);
  EXPECT_NE(sha256("dtype: f32", "dtype: f16"), same);
}

TEST(Contract, IsDocumentedByOneThatReads) {
  const std::string page = fusecheck::testing::read_bytes(FUSECHECK_SOURCE_DIR "/docs/kernels.md");
  const std::size_t begin = page.find("```yaml\n") + 8;
  const Contract contract = parse_contract(page.substr(begin, page.find("```", begin) - begin), "kernels.md", "a3");
  EXPECT_EQ(contract.op, "ConvBnRelu");
  EXPECT_EQ(contract.exec, "./run_kernel {dir}");
  EXPECT_EQ(contract.model, "mma:8,24");
}

void expect_refused(const std::string& text, const std::string& says) {
  fusecheck::testing::expect_error(ErrorKind::usage, ::testing::HasSubstr(says),
                                   [&] { parse_contract("version: 1\n" + text, "k"); });
}

TEST(Contract, RefusesWithThePlace) {
  expect_refused("op: ConvRelu\nop: ConvRelu\n", "k:3:1: key 'op' stands here twice");
  expect_refused("opp: ConvRelu\n", "k:2:1: unknown key 'opp' in a kernel's contract. Did you mean 'op'?");
  expect_refused("op: relu\nbody: y=relu(x)\n", "k:3:7: op names an op, body writes one down; give one of them");
  expect_refused("body: y=relo(x)\n", "k:2:7: ");
  expect_refused("op: ConvRely\n", "k:2:5: ");
  expect_refused("exec: a\nplugin: b.so\n", "exec, plugin exclude each other");
  expect_refused("exec: \"run 'x\"\n", "k:2:7: exec 'run 'x': a quote is not closed");
  expect_refused("timeout: 0\n", "k:2:10: timeout must be more than 0 seconds");
  expect_refused("repeat: 1.5\n", "k:2:9: repeat 1.5 is no whole number from 1 to 1000");
  expect_refused("tensors: {x: {file: ../x.bin}}\n", "file '../x.bin' must lie below the case's folder");
  expect_refused("tensors: {x: {file: x.txt}}\n", "file 'x.txt' must end in .npy or .bin");
  expect_refused("tensors: {x: {file: a.bin}, y: {file: a.bin}}\n", "file 'a.bin' is already that of x");
  expect_refused("tensors: {x: {layout: hwcn}}\n", "k:2:23: ");
  expect_refused("model: &m ieee\n", "anchors");
  fusecheck::testing::expect_error(ErrorKind::usage, ::testing::HasSubstr("version '2' is not read here"),
                                   [] { parse_contract("version: 2\n", "k"); });
}

}  // namespace
}  // namespace fusecheck::plugin
