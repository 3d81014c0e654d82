// Golden cases of given inputs, and limits that go with a case.
#include <array>

#include "golden_test_support.hpp"

namespace fusecheck::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Given : public ::testing::Test {
 protected:
  CommandResult run(const std::vector<std::string>& words) const { return run_fusecheck(words, dir.path().string()); }
  void must(const std::vector<std::string>& words) const {
    const CommandResult result = run(words);
    ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  }
  void write(const std::string& file, const Shape& shape, const std::vector<double>& values) const {
    fs::create_directories((dir / file).parent_path());
    write_npy(dir / file, Tensor::from(DType::f32, shape, std::span<const double>(values)));
  }
  fs::path only_case() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(dir / "golden")) {
      if (entry.path().filename() == "case.json") found.push_back(entry.path().parent_path());
    }
    EXPECT_EQ(found.size(), 1U);
    return found.at(0);
  }
  void expect_refused(const std::vector<std::string>& words, const std::string& says) const {
    const CommandResult result = run(words);
    EXPECT_EQ(result.exit_code, 2) << result.out;
    EXPECT_THAT(result.err, HasSubstr(says));
    EXPECT_FALSE(fs::exists(dir / "golden"));
  }
  TempDir dir;
};

// relu of [-1, 0, 2].
TEST_F(Given, InputsAreWhatTruthIsOf) {
  write("in/x.npy", {3}, {-1, 0, 2});
  must({"golden", "make", "--op", "relu", "--input", "in", "--direction", "fwd", "-o", "golden"});
  EXPECT_THAT(read_tensor(only_case() / "truth/y.npy").doubles(), ElementsAre(0, 0, 2));
  EXPECT_THAT(read_bytes(only_case() / "case.json"), HasSubstr("\"given\": [\n    \"x\"\n  ]"));
  must({"golden", "check", "golden"});
  write("out/y.npy", {3}, {0, 0, 2});
  EXPECT_EQ(run({"compare", "out", only_case().string()}).exit_code, 0);
  write("out/y.npy", {3}, {0, 0.5, 2});
  EXPECT_EQ(run({"compare", "out", only_case().string()}).exit_code, 1);
}

// y = x·x + 1 of [-1, 0, 2].
TEST_F(Given, BodyOfOnesOwnIsACaseLikeAnyOther) {
  write("in/x.npy", {3}, {-1, 0, 2});
  must({"golden", "make", "--body", "y = x*x + 1", "--input", "in", "--direction", "fwd", "-o", "golden"});
  EXPECT_THAT(read_tensor(only_case() / "truth/y.npy").doubles(), ElementsAre(2, 1, 5));
  must({"golden", "check", "golden"});
  must({"golden", "export", "golden", "-o", "board", "--format", "onnx"});
  write("out/y.npy", {3}, {2, 1, 5});
  EXPECT_EQ(run({"compare", "out", only_case().string()}).exit_code, 0);
  write("out/y.npy", {3}, {2, 1, 4});
  EXPECT_EQ(run({"compare", "out", only_case().string()}).exit_code, 1);
}

// 20,000 elements of 4 bytes are more than the 64 KiB up to which drawn tensors are stored; truth of them is not.
TEST_F(Given, InputsAreStoredWhateverTheirSize) {
  std::vector<double> x(20000, 1.5), y = x;
  for (std::size_t i = 0; i < x.size(); i += 2) x[i] = -static_cast<double>(i), y[i] = 0;
  write("in/x.npy", {20000}, x);
  must({"golden", "make", "--op", "relu", "--input", "in", "--direction", "fwd", "-o", "golden"});
  EXPECT_TRUE(fs::exists(only_case() / "in/x.npy"));
  EXPECT_FALSE(fs::exists(only_case() / "truth/y.npy"));
  must({"golden", "check", "golden"});
  must({"golden", "export", "golden", "-o", "board"});
  write("out/y.npy", {20000}, y);
  EXPECT_EQ(run({"compare", "out", only_case().string()}).exit_code, 0);
  flip(only_case() / "in/x.npy", 200, 1);
  EXPECT_EQ(run({"compare", "out", only_case().string()}).exit_code, 3);
  EXPECT_EQ(run({"golden", "check", "golden"}).exit_code, 3);
}

TEST_F(Given, OtherInputsWaitForReview) {
  write("in/x.npy", {3}, {-1, 0, 2});
  const std::vector<std::string> make = {"golden", "make", "--op", "relu", "--input", "in", "-o", "golden"};
  must(make);
  must(make);
  EXPECT_EQ(run({"golden", "diff", "golden"}).exit_code, 0);
  write("in/x.npy", {3}, {-1, 0, 3});
  must(make);
  const CommandResult diff = run({"golden", "diff", "golden"});
  EXPECT_EQ(diff.exit_code, 1);
  EXPECT_THAT(diff.out, HasSubstr("cause: given input x"));
  EXPECT_THAT(diff.out, HasSubstr("in/x  1 of 3 elements changed"));
}

TEST_F(Given, InputsAreOfOneCaseAndOneDataSet) {
  write("in/x.npy", {3}, {-1, 0, 2});
  const std::string line = "relu/f32/x=3/random";
  expect_refused({"golden", "make", "--case", line, "--case", line + "/s2", "--input", "in"}, "tensors of one case");
  expect_refused({"golden", "make", "--suite", "smoke", "--input", "in"}, "tensors of one case");
  expect_refused({"golden", "make", "--op", "relu", "--input", "in", "--data", "exact,random"}, "add --data random");
}

// In f32, 2 + 3 ULP = 2 + 3·2^-22.
TEST_F(Given, LimitOfASuiteGoesWithTheCase) {
  dir.write("s.yaml", "version: 1\ncases: [relu/f32/x=2x8/random/fwd]\nlimits:\n  - {match: {op: relu}, max_ulp: 4}\n");
  must({"golden", "make", "--suite", "s.yaml", "-o", "golden"});
  EXPECT_THAT(read_bytes(only_case() / "case.json"), HasSubstr("\"tolerance\": \"ulp:4\""));
  must({"golden", "check", "golden"});
  const Tensor truth = read_tensor(only_case() / "truth/y.npy");
  const auto off_by = [&](int ulps) {
    std::vector<double> values = truth.doubles();
    const auto largest = std::max_element(values.begin(), values.end());
    *largest += ulps * ulp(DType::f32, *largest);
    write("out/y.npy", {2, 8}, values);
    return run({"compare", "out", only_case().string()});
  };
  EXPECT_EQ(off_by(5).exit_code, 1);
  const CommandResult near = off_by(3);
  EXPECT_EQ(near.exit_code, 0) << near.out;
  EXPECT_EQ(run({"compare", "out", only_case().string(), "--tol", "bound"}).exit_code, 1);
}

TEST_F(Given, LimitThatChangesIsReviewed) {
  const std::vector<std::string> make = {"golden", "make", "--case", "relu/f32/x=2x8/random/fwd", "-o", "golden"};
  must(make);
  std::vector<std::string> wider = make;
  wider.insert(wider.end(), {"--tol", "ulp:9"});
  must(wider);
  EXPECT_THAT(run({"golden", "diff", "golden"}).out, HasSubstr("cause: limit bound -> ulp:9"));
}

}  // namespace
}  // namespace fusecheck::testing
