// Two files and no case: a named standard decides, and says so.
#include "golden_test_support.hpp"

namespace fusecheck::testing {
namespace {

using ::testing::HasSubstr;

class Loose : public ::testing::Test {
 protected:
  void write(const char* name, DType dtype, const Shape& shape, const std::vector<double>& values) const {
    write_npy(dir / name, Tensor::from(dtype, shape, std::span<const double>(values)));
  }
  CommandResult compare(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"compare"};
    words.insert(words.end(), more.begin(), more.end());
    return run_fusecheck(words, dir.path().string());
  }
  TempDir dir;
};

// f16 at 1: one ULP is 2^-10; 1 + 2^-9 is two away.
TEST_F(Loose, AStandardDecides) {
  write("golden.npy", DType::f16, {2, 2}, {1, 2, 3, 4});
  write("actual.npy", DType::f16, {2, 2}, {1 + 0x1p-9, 2, 3, 4});
  EXPECT_EQ(compare({"actual.npy", "golden.npy", "--tol", "ulp:2"}).exit_code, 0);
  const CommandResult failed = compare({"actual.npy", "golden.npy", "--tol", "ulp:1"});
  EXPECT_EQ(failed.exit_code, 1) << failed.err;
  EXPECT_THAT(failed.out, HasSubstr("FAIL  golden of actual"));
  EXPECT_THAT(failed.out, HasSubstr("1 of 4 elements outside the limit (25 %)"));
  EXPECT_THAT(failed.out, HasSubstr("repro: fusecheck compare actual.npy golden.npy --tol ulp:1\n"));
}

TEST_F(Loose, BoundIsRefusedWithAWayOut) {
  write("a.npy", DType::f32, {3}, {1, 2, 3});
  const CommandResult result = compare({"a.npy", "a.npy"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("two files without a case.json have no bound"));
  EXPECT_THAT(result.err, HasSubstr("as in --tol ulp:2"));
}

// Zeros within atol 1 of everything here: such a limit proves nothing.
TEST_F(Loose, ALimitThatZerosMeetIsWeak) {
  write("a.npy", DType::f32, {3}, {0.5, -0.25, 0.125});
  EXPECT_EQ(compare({"a.npy", "a.npy", "--tol", "mixed:0,1"}).exit_code, 4);
  EXPECT_EQ(compare({"a.npy", "a.npy", "--tol", "exact"}).exit_code, 0);
}

TEST_F(Loose, HeaderlessFilesTakeTypeAndShapeFromTheGoldenOne) {
  write("g.npy", DType::f32, {1, 2, 1, 2}, {1, 2, 3, 4});
  const Tensor nhwc = Tensor::from(DType::f32, {4}, std::span<const double>(std::vector<double>{1, 3, 2, 4}));
  overwrite(dir / "a.bin", std::string(reinterpret_cast<const char*>(nhwc.bytes().data()), 16));
  EXPECT_EQ(compare({"a.bin", "g.npy", "--tol", "exact", "--layout", "nhwc"}).exit_code, 0);
  EXPECT_EQ(compare({"a.bin", "g.npy", "--tol", "exact"}).exit_code, 1);
  overwrite(dir / "a.bin", std::string(15, 'x'));
  EXPECT_EQ(compare({"a.bin", "g.npy", "--tol", "exact"}).exit_code, 2);
}

TEST_F(Loose, TypesAndShapesMustAgree) {
  write("g.npy", DType::f32, {2}, {1, 2});
  write("half.npy", DType::f16, {2}, {1, 2});
  write("long.npy", DType::f32, {3}, {1, 2, 3});
  EXPECT_THAT(compare({"half.npy", "g.npy", "--tol", "exact"}).err, HasSubstr("holds f16, the golden one f32"));
  EXPECT_THAT(compare({"long.npy", "g.npy", "--tol", "exact"}).err, HasSubstr("holds 3, the golden one 2"));
  EXPECT_EQ(compare({"absent.npy", "g.npy", "--tol", "exact"}).exit_code, 3);
}

}  // namespace
}  // namespace fusecheck::testing
