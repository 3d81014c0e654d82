// What works, end to end, with the real program.
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/cli_test_support.hpp"
#include "tensor/npy_files.hpp"

namespace fusecheck::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  const std::size_t start = text.rfind('\n', end);
  return text.substr(start + 1, end - start);
}

// The outputs of one candidate in the first data set, by name.
std::map<std::string, json> outputs_of(const json& document, const std::string& candidate) {
  std::map<std::string, json> outputs;
  for (const json& one : document["data"][0]["candidates"]) {
    if (one["name"] != candidate) continue;
    for (const json& output : one["outputs"]) outputs[output["name"]] = output;
  }
  return outputs;
}

TEST(FlatForm, PassesWithoutAKernel) {
  const CommandResult result = run_fusecheck(words("--op ConvBnRelu --shape 1,8,9,9"));
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(last_line(result.out), "PASS  y dx dw dgamma dbeta, unfused and fused emulation");
}

TEST(FlatForm, TakesFlagsInAnyOrderAndBothWaysOfWritingThem) {
  const CommandResult one = run_fusecheck(words("--op ConvRelu --shape 2,4,7,6 --oc 6 --kernel 3,5 --seed 9 --bias"));
  const CommandResult other =
      run_fusecheck(words("--bias --seed=9 --kernel=3x5 --oc=6 --shape=x=2x4x7x6 --op=ConvRelu"));
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(one.out, other.out);
}

// The third party's own bits may depend on its threads; ours may not.
TEST(FlatForm, GivesTheSameBitsForAnyNumberOfThreads) {
  const Arguments call = words("--op ConvBn --shape 2,5,7,6 --bn train --json --threads");
  const json one = json::parse(run_fusecheck(call + Arguments{"1"}).out);
  const json three = json::parse(run_fusecheck(call + Arguments{"3"}).out);
  for (const char* candidate : {"unfused", "fused"}) {
    EXPECT_EQ(outputs_of(one, candidate).size(), 7U);  // y, two running statistics, dx, dw, dgamma, dbeta
    EXPECT_EQ(outputs_of(one, candidate), outputs_of(three, candidate));
  }
}

TEST(Json, IsAloneOnStdoutWithTheVerdictOnStderr) {
  const CommandResult result = run_fusecheck(words("--op ConvRelu --shape 1,4,6,6 --data random --json"));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json document = json::parse(result.out);
  EXPECT_EQ(document["schema"], "fusecheck.result/1");
  EXPECT_EQ(document["case"], "ConvRelu/f16/x=1x4x6x6/random");
  EXPECT_EQ(document["exit"], 0);
  EXPECT_EQ(result.err, "PASS  y dx dw, unfused and fused emulation\n");
}

TEST(CaseLine, RunsTheSameCase) {
  const CommandResult flags = run_fusecheck(words("--op ConvRelu --shape 1,4,6,6 --stride 2 --dtype bf16 --json"));
  const std::string line = json::parse(flags.out)["case"];
  EXPECT_EQ(line, "ConvRelu/bf16/x=1x4x6x6/stride=2");
  EXPECT_EQ(run_fusecheck({"--case", line, "--json"}).out, flags.out);
}

// Save the inputs and the truth, give them back: the truth is a kernel that passes.
TEST(SavedCase, RoundTripsThroughInputAndActual) {
  const TempDir folder;
  const std::string place = folder.path().string();
  const CommandResult saved =
      run_fusecheck(words("--op ConvBnRelu --shape 1,8,9,9 --oc 4 --kernel 1,3 --data random --save case"), place);
  ASSERT_EQ(saved.exit_code, 0) << saved.err;
  for (const char* file : {"inputs/x.npy", "inputs/dy.npy", "truth/y.npy", "unfused/dx.npy", "fused/dgamma.npy"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / ("case/" + std::string(file)))) << file;
  }
  const CommandResult judged = run_fusecheck(
      words("--op ConvBnRelu --input case/inputs --actual case/truth --require y,dx,dw,dgamma,dbeta --json"), place);
  ASSERT_EQ(judged.exit_code, 0) << judged.err << judged.out;
  const json document = json::parse(judged.out);
  EXPECT_EQ(document["kernel_judged"], true);
  EXPECT_EQ(document["attributes"]["oc"], json::parse("[4]"));
  EXPECT_EQ(document["attributes"]["kernel"], json::parse("[1,3]"));
  EXPECT_EQ(outputs_of(document, "actual").size(), 5U);
  EXPECT_EQ(outputs_of(document, "actual")["y"]["flips_observed"], 0);
  EXPECT_EQ(last_line(judged.err), "PASS  dbeta dgamma dw dx y, 5 of 5 outputs given");
}

// The folder says by itself what its tensors are: the case's line, the attributes, the hash of each payload.
TEST(SavedCase, HoldsTheDocumentOfJson) {
  const TempDir folder;
  const std::string place = folder.path().string();
  const CommandResult saved =
      run_fusecheck(words("--op ConvBnRelu --shape 1,4,7,7 --data exact --save case --json"), place);
  ASSERT_EQ(saved.exit_code, 0) << saved.err;
  std::ifstream stream(folder / "case/result.json");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(text, saved.out);
  const json document = json::parse(text);
  EXPECT_EQ(document["data"][0]["attributes"]["eps"], json::parse("[0.0009765625]"));  // 2^-10, J10
}

TEST(SavedCase, HasAFolderForEachOfSeveralDataSets) {
  const TempDir folder;
  const CommandResult saved =
      run_fusecheck(words("--op ConvRelu --shape 1,4,6,6 --data exact,stress --save case"), folder.path().string());
  ASSERT_EQ(saved.exit_code, 0) << saved.err;
  EXPECT_TRUE(std::filesystem::exists(folder / "case/exact/inputs/x.npy"));
  EXPECT_TRUE(std::filesystem::exists(folder / "case/stress/truth/y.npy"));
  EXPECT_FALSE(std::filesystem::exists(folder / "case/random"));
}

// One element of y, 1 + its own size away from the truth: exit 1, that element named, the repro last but one.
TEST(WrongKernel, FailsWithThePlaceNamed) {
  const TempDir folder;
  const std::string place = folder.path().string();
  ASSERT_EQ(run_fusecheck(words("--op ConvRelu --shape 1,4,6,6 --data random --save case"), place).exit_code, 0);
  const Tensor truth = read_tensor(folder / "case/truth/y.npy");
  std::vector<double> values = truth.doubles();
  // Flat position 100 of 1x4x6x6: channel 2 (72..107), row 4, column 4.
  values[100] = 2 * values[100] + 1;
  std::filesystem::create_directory(folder / "out");
  write_npy(folder / "out/y.npy", Tensor::from(DType::f16, truth.shape(), std::span<const double>(values)));
  const CommandResult judged = run_fusecheck(words("--op ConvRelu --input case/inputs --actual out"), place);
  EXPECT_EQ(judged.exit_code, 1) << judged.err;
  EXPECT_THAT(judged.out, HasSubstr("FAIL  y of actual on files: 1 of 144 elements outside the limit (0.69 %)"));
  EXPECT_THAT(judged.out, HasSubstr("[0,2,4,4]"));
  EXPECT_THAT(judged.out, HasSubstr("repro: fusecheck --case '"));
  EXPECT_THAT(judged.out, HasSubstr("--input case/inputs --actual out\n"));
  EXPECT_EQ(last_line(judged.out), "FAIL  y; judged: y, 1 of 3 outputs given");
}

// The backward reads mask, conv and the batch's statistics as they were saved.
TEST(SavedCase, GivesTheBackwardItsSavedTensors) {
  const TempDir folder;
  const std::string place = folder.path().string();
  ASSERT_EQ(
      run_fusecheck(words("--op ConvBnRelu --shape 1,4,7,7 --bn train --data random --save case"), place).exit_code, 0);
  const CommandResult judged = run_fusecheck(words("--op ConvBnRelu --bn train --direction bwd --input case/inputs "
                                                   "--input case/saved --actual case/truth --json"),
                                             place);
  EXPECT_EQ(judged.exit_code, 0) << judged.err << judged.out;
  const json document = json::parse(judged.out);
  EXPECT_THAT(document["given_inputs"], ::testing::Contains("saved_rstd"));
  EXPECT_EQ(outputs_of(document, "actual").size(), 4U);
}

// The command under a failure, run as printed (its case stands in single quotes), fails in the same way.
TEST(Repro, RunsTheSameAgain) {
  const TempDir folder;
  const std::string place = folder.path().string();
  std::filesystem::create_directory(folder / "out");
  write_npy(folder / "out/y.npy", small_tensor(DType::f16, {1, 4, 4, 7}));
  const CommandResult first = run_fusecheck(
      words(
          "--op ConvRelu --shape 1,4,7,7 --stride 2,1 --seed 3 --data stress --actual out --max-diff 0.5 --tol ulp:2"),
      place);
  ASSERT_EQ(first.exit_code, 1) << first.err;
  const std::size_t at = first.out.find("repro: fusecheck ");
  ASSERT_NE(at, std::string::npos);
  std::string line = first.out.substr(at + 17, first.out.find('\n', at) - at - 17);
  std::erase(line, '\'');
  const CommandResult again = run_fusecheck(words(line), place);
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_EQ(again.out, first.out);
}

// A report that did not reach its reader is no verdict.
TEST(FullDisk, IsNoVerdict) {
  for (const std::string call : {"list ops", "--op relu --shape 3,4", "--op relu --shape 3,4 --json"}) {
    const CommandResult result = run_command({"sh", "-c", FUSECHECK_BINARY " " + call + " > /dev/full"});
    EXPECT_EQ(result.exit_code, 3) << call;
    EXPECT_EQ(result.err, "fusecheck: stdout cannot be written\n");
  }
}

TEST(WrongKernel, OfZerosNeverPasses) {
  const TempDir folder;
  std::filesystem::create_directory(folder / "out");
  write_npy(folder / "out/y.npy", Tensor(DType::f16, {1, 4, 6, 6}));
  const CommandResult judged =
      run_fusecheck(words("--op ConvRelu --shape 1,4,6,6 --data random --actual out"), folder.path().string());
  EXPECT_EQ(judged.exit_code, 1) << judged.out;
}

// numpy writes '>f4' on big-endian machines, legally: the same numbers, the same hash of the result.
TEST(BigEndianInput, IsReadAsTheSameNumbers) {
  const TempDir folder;
  const Tensor x = small_tensor(DType::f32, {1, 2, 3, 4});
  write_npy(folder / "little.npy", x);
  std::string swapped = npy_header(dictionary(">f4", "(1, 2, 3, 4)"));
  const std::string bytes = read_bytes(folder / "little.npy").substr(128);
  for (std::size_t i = 0; i < bytes.size(); i += 4)
    swapped.append({bytes[i + 3], bytes[i + 2], bytes[i + 1], bytes[i]});
  folder.write("big.npy", swapped);
  const auto hash = [&](const std::string& file) {
    const CommandResult result =
        run_fusecheck(words("--op ConvRelu --json --direction fwd --input x=" + file), folder.path().string());
    return std::string(outputs_of(json::parse(result.out), "fused")["y"]["sha256"]);
  };
  EXPECT_EQ(hash("big.npy"), hash("little.npy"));
}

TEST(Input, GivesTheCaseItsTypeAndShape) {
  const TempDir folder;
  write_npy(folder / "x.npy", small_tensor(DType::f32, {1, 2, 5, 4}));
  const CommandResult result = run_fusecheck(words("--op ConvRelu --input x=x.npy --json"), folder.path().string());
  const json document = json::parse(result.out);
  EXPECT_EQ(document["case"], "ConvRelu/f32/x=1x2x5x4/random");
  EXPECT_EQ(document["given_inputs"], json::parse(R"(["x"])"));
}

TEST(Input, OfABinFileTakesDeclaredTypeAndShape) {
  const TempDir folder;
  write_npy(folder / "x.npy", small_tensor(DType::f16, {1, 2, 5, 4}));
  folder.write("x.bin", read_bytes(folder / "x.npy").substr(128));
  const Arguments call = words("--op ConvRelu --dtype f16 --shape 1,2,5,4 --data random --json");
  const auto judged = [&](const std::string& input) {
    return json::parse(run_fusecheck(call + Arguments{"--input", input}, folder.path().string()).out)["data"];
  };
  EXPECT_EQ(judged("x=x.bin"), judged("x=x.npy"));
}

TEST(Input, NamesWhatItDidNotUse) {
  const TempDir folder;
  std::filesystem::create_directory(folder / "in");
  write_npy(folder / "in/x.npy", small_tensor(DType::f16, {1, 2, 5, 4}));
  write_npy(folder / "in/extra.npy", small_tensor(DType::f16, {1}));
  const CommandResult result = run_fusecheck(words("--op ConvRelu --input in"), folder.path().string());
  EXPECT_EQ(result.err, "fusecheck: note: --input in: not used: extra.npy\n");
}

TEST(List, ShowsOpsModelsStandardsAndRecipes) {
  EXPECT_THAT(run_fusecheck({"list", "ops"}).out, HasSubstr("ConvBnAddRelu"));
  EXPECT_THAT(run_fusecheck({"list", "models"}).out, HasSubstr("ascend-a2\n"));
  EXPECT_THAT(run_fusecheck({"list", "tols"}).out, HasSubstr("cann-mere-mare-2026-04\n"));
  EXPECT_THAT(run_fusecheck({"list", "recipes"}).out, HasSubstr("one_pass (lossy)"));
}

// Bytes by hand, f16, x = y = 1x4x6x6 = 288 bytes, w = 4x4x3x3 = 288, mask 144.
//   unfused forward: conv reads x, w and writes conv (3 * 288); relu reads conv, writes y (2 * 288): 1,440; mask 144.
//   fused forward: reads x, w, writes y: 864; mask 144.
TEST(Explain, CountsBytesOfMemory) {
  const std::string text = run_fusecheck(words("explain --op ConvRelu --shape 1,4,6,6")).out;
  EXPECT_THAT(text, HasSubstr("ConvRelu  y = relu(conv(x, w) + b)\n"));
  EXPECT_THAT(text, HasSubstr("body        conv = conv2d(x, w, b); y = relu(conv)\n"));
  EXPECT_THAT(text, ::testing::ContainsRegex("epilogue +864 +144 "));
  EXPECT_THAT(text, ::testing::ContainsRegex("unfused +1,440 +144 "));
  EXPECT_THAT(text, HasSubstr("dconv rounded to f16"));
  EXPECT_THAT(text, HasSubstr("36  convolution\n"));  // 4 channels, 3x3
}

TEST(Explain, SaysWhereTheConvolutionIsStored) {
  const std::string text = run_fusecheck(words("explain --op ConvBn --shape 1,4,6,6 --dtype bf16")).out;
  for (const char* rule : {"conv_stored: [^\n]*\n(    [^\n]*\n)*    conv stored in bf16\n",
                           "conv_saved: [^\n]*\n(    [^\n]*\n)*    conv stored in bf16\n",
                           "epilogue: [^\n]*\n(    [^\n]*\n)*    conv kept in f32\n"}) {
    EXPECT_THAT(text, ::testing::ContainsRegex(rule));
  }
}

TEST(Help, FitsAScreenAndShowsThreeExamples) {
  const CommandResult help = run_fusecheck({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_LE(std::count(help.out.begin(), help.out.end(), '\n'), 24);
  EXPECT_EQ(run_fusecheck({"help"}).out, help.out);
  std::size_t examples = 0;
  for (std::size_t at = 0; (at = help.out.find("\n  fusecheck --op", at)) != std::string::npos; ++at) ++examples;
  EXPECT_EQ(examples, 3U);
  EXPECT_THAT(run_fusecheck({"help", "flags"}).out, HasSubstr("--param-dtype"));
}

TEST(Version, NamesItsFormats) {
  const CommandResult version = run_fusecheck({"version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_THAT(version.out, HasSubstr("case/1 fusecheck.result/1"));
  EXPECT_EQ(run_fusecheck({"--version"}).out, version.out);
}

}  // namespace
}  // namespace fusecheck::testing
