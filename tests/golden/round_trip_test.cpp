// Made, checked, compared: what golden data promises when nobody tampers with it.
#include <nlohmann/json.hpp>

#include "golden_test_support.hpp"
#include "support/run_command.hpp"

namespace fusecheck::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class RoundTrip : public GoldenTree {};

TEST_F(RoundTrip, TheEmulatedKernelPassesItsOwnGoldenData) {
  const CommandResult result = compare({"--require", "y,dx,dw"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("PASS  dw dx y, 3 of 3 outputs given"));
}

TEST_F(RoundTrip, AWholeTreePassesWithALineACase) {
  const CommandResult result = run({"compare", "out", "golden"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr(std::string("PASS  ") + random_line + "  dw dx y, 3 of 3 outputs given\n"));
  EXPECT_THAT(result.out, HasSubstr("2 cases: 2 pass, 0 fail, 0 weak, 0 without a verdict\n"));
}

TEST_F(RoundTrip, JsonLinesAreTheCheckersOwnDocument) {
  const CommandResult result = run({"compare", "out", "golden", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::size_t end = result.out.find('\n');
  const json first = json::parse(result.out.substr(0, end));
  EXPECT_EQ(first["schema"], "fusecheck.result/1");
  EXPECT_EQ(first["case"].get<std::string>(), exact_line);
  EXPECT_EQ(first["status"], "pass");
  EXPECT_EQ(first["given_outputs"], (json{"dw", "dx", "y"}));
  EXPECT_EQ(json::parse(result.out.substr(end + 1))["case"].get<std::string>(), random_line);
}

// compare is --actual on the same case: the judgement of every output is the same document.
TEST_F(RoundTrip, AgreesWithTheFlatForm) {
  Tensor y = read_tensor(out() / "y.npy");
  y.bytes()[3] ^= std::byte{0x40};
  write_npy(out() / "y.npy", y);
  const CommandResult compared = compare({"--json"});
  const CommandResult checked = run({"--case", random_line, "--actual", out().string(), "--json"});
  EXPECT_EQ(compared.exit_code, 1);
  EXPECT_EQ(checked.exit_code, 1);
  EXPECT_EQ(json::parse(compared.out)["data"][0]["candidates"], json::parse(checked.out)["data"][0]["candidates"]);
}

TEST_F(RoundTrip, CheckDerivesEverythingAgain) {
  const CommandResult result = run({"golden", "check"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("PASS  2 cases, "));
}

TEST_F(RoundTrip, MakingAgainChangesNoByte) {
  const auto listing = [&] {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(dir / "golden")) {
      if (entry.is_regular_file()) files[entry.path().string()] = read_bytes(entry.path());
    }
    return files;
  };
  const auto before = listing();
  EXPECT_GT(before.size(), 10u);
  for (const char* simd : {"scalar", "auto"}) {
    for (const char* threads : {"1", "2"}) {
      const CommandResult again =
          run({"golden", "make", "--case", random_line, "--case", exact_line, "--simd", simd, "--threads", threads});
      EXPECT_EQ(again.exit_code, 0) << again.err;
      EXPECT_THAT(again.out, HasSubstr("new 0, unchanged 2, changed 0"));
    }
  }
  EXPECT_TRUE(listing() == before);
}

// N8: the payload starts at byte 128, and its SHA-256 is the one in case.json.
TEST_F(RoundTrip, EveryStoredTensorHasItsHashAtByte128) {
  const json manifest = json::parse(read_bytes(golden() / "case.json"));
  int stored = 0;
  for (const json& tensor : manifest["tensors"]) {
    if (tensor["file"].is_null()) continue;
    const std::string bytes = read_bytes(golden() / tensor["file"].get<std::string>());
    EXPECT_EQ(golden::sha256_of(std::string_view(bytes).substr(128)), tensor["sha256"].get<std::string>()) << tensor["name"];
    ++stored;
  }
  EXPECT_GT(stored, 20);
}

// A shape over 64 KiB (1x4x96x96 f16 is 73,728 bytes) is not stored; its hash and its samples are.
TEST_F(RoundTrip, LargeTensorsAreRecipes) {
  const std::string line = "relu/f16/x=1x4x96x96/random";
  const CommandResult made = run({"golden", "make", "--case", line, "--samples"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const json made_case = json::parse(read_bytes(golden(line) / "case.json"));  // alive while its tensors are read
  for (const json& tensor : made_case["tensors"]) {
    EXPECT_EQ(tensor["file"].is_null(), tensor["dtype"] != "bool") << tensor["name"];  // the mask has 36,864 bytes
  }
  const json samples = json::parse(read_bytes(golden(line) / "samples.json"));
  EXPECT_EQ(samples["in/x"].size(), 256u);
  EXPECT_EQ(samples["in/x"][0][0], 0);
  EXPECT_EQ(samples["in/x"][255][0], 4 * 96 * 96 - 1);
  EXPECT_EQ(run({"golden", "check"}).exit_code, 0);
}

TEST_F(RoundTrip, PerOutputLimitsDecideTheirOutput) {
  Tensor y = read_tensor(out() / "y.npy");
  std::int64_t at = 0;  // a positive element: its lowest bit is one ULP
  while (!(y.at(at) > 0.5)) ++at;
  y.bytes()[static_cast<std::size_t>(at) * 2] ^= std::byte{0x02};  // 2 ULP
  write_npy(out() / "y.npy", y);
  EXPECT_EQ(compare().exit_code, 1);
  EXPECT_EQ(compare({"--tol", "y=ulp:2"}).exit_code, 0);
  EXPECT_EQ(compare({"--tol", "y=ulp:1"}).exit_code, 1);
  EXPECT_EQ(compare({"--tol", "y=ulp:2", "--tol", "dx=exact", "--tol", "bound"}).exit_code, 0);
  const CommandResult unknown = compare({"--tol", "z=ulp:2"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--tol z=...: the case gives y, dx, dw"));
}

TEST_F(RoundTrip, SaysWhichTilesAreBad) {
  Tensor y = read_tensor(out() / "y.npy");
  for (const std::int64_t c : {0, 3, 9}) y.bytes()[static_cast<std::size_t>(c * 16 + 3) * 2 + 1] ^= std::byte{0x40};
  write_npy(out() / "y.npy", y);
  const CommandResult result = compare({"--tile", "2,2"});  // h=0, w=3: tile [0,1] of 2x2
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("tiles of 2x2: bad in 1 of 4, [0,1]"));
}

}  // namespace
}  // namespace fusecheck::testing
