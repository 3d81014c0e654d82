// The case line round-trips, says each thing once, and refuses what it does not understand.
#include "fusecheck/case_spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/expect_error.hpp"

namespace fusecheck {
namespace {

using ::testing::HasSubstr;

void expect_equal(const CaseSpec& a, const CaseSpec& b) {
  EXPECT_EQ(a.op, b.op);
  EXPECT_EQ(a.dtype, b.dtype);
  EXPECT_EQ(a.param_dtype, b.param_dtype);
  EXPECT_EQ(a.tensor_dtypes, b.tensor_dtypes);
  EXPECT_EQ(a.shapes, b.shapes);
  EXPECT_EQ(a.attrs, b.attrs);
  EXPECT_EQ(a.bias, b.bias);
  EXPECT_EQ(a.passes, b.passes);
  EXPECT_EQ(a.data, b.data);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.dy_ones, b.dy_ones);
  EXPECT_EQ(a.recipe, b.recipe);
  EXPECT_EQ(a.rounds, b.rounds);
  EXPECT_EQ(a.model, b.model);
}

CaseSpec smallest() {
  CaseSpec spec;
  spec.op = "ConvBnRelu";
  spec.shapes["x"] = {1, 64, 56, 56};
  return spec;
}

// Every field away from its default, each in another way.
CaseSpec largest() {
  CaseSpec spec = smallest();
  spec.dtype = DType::bf16;
  spec.param_dtype = DType::f16;
  spec.tensor_dtypes = {{"dw", DType::f32}, {"gamma", DType::bf16}};
  spec.shapes["w"] = {20, 64, 3, 5};
  spec.attrs.set("bn", {1});
  spec.attrs.set("eps", {0.001});
  spec.attrs.set("pad", {0, 1, 2, 1});
  spec.bias = true;
  spec.passes = Passes::backward;
  spec.data = {DataSet::stress, DataSet::exact};
  spec.seed = 18446744073709551615U;  // 2^64-1
  spec.dy_ones = true;
  spec.recipe = "one_pass";
  spec.rounds = {{"bn", "keep"}, {"conv", "f16"}};
  spec.model = parse_model("mma:8,24");
  return spec;
}

TEST(CaseLine, LeavesOutWhatIsAtItsDefault) { EXPECT_EQ(to_line(smallest()), "ConvBnRelu/f16/x=1x64x56x56"); }

TEST(CaseLine, SaysEveryFieldThatIsNot) {
  EXPECT_EQ(to_line(largest()),
            "ConvBnRelu/bf16,param=f16,dw=f32,gamma=bf16/w=20x64x3x5,x=1x64x56x56/"
            "bias,bn=train,eps=0.001,pad=0x1x2x1/stress+exact/s18446744073709551615/bwd/dy=ones/recipe=one_pass/"
            "round=bn:keep,conv:f16/model=mma:8,24");
}

TEST(CaseLine, GivesTheCaseBack) {
  expect_equal(parse_case(to_line(smallest())), smallest());
  expect_equal(parse_case(to_line(largest())), largest());
}

TEST(CaseLine, WritesTheSlashOfAModelAsPlus) {
  CaseSpec spec = smallest();
  spec.model = parse_model("ieee/split_k:4");
  EXPECT_EQ(to_line(spec), "ConvBnRelu/f16/x=1x64x56x56/model=ieee+split_k:4");
  expect_equal(parse_case(to_line(spec)), spec);
}

// "ieee, and nothing else" is another case than "ieee, or whatever explains the kernel".
TEST(CaseLine, KeepsADefaultModelThatWasNamed) {
  CaseSpec spec = smallest();
  spec.model_given = true;
  EXPECT_EQ(to_line(spec), "ConvBnRelu/f16/x=1x64x56x56/model=ieee");
  EXPECT_TRUE(parse_case(to_line(spec)).model_given);
  EXPECT_FALSE(parse_case(to_line(smallest())).model_given);
}

// 9.999999747378752e-06 is float32(1e-5) widened: the shortest decimal that reads back to it.
TEST(CaseLine, KeepsEveryBitOfAnAttribute) {
  CaseSpec spec = smallest();
  spec.attrs.set("eps", {static_cast<double>(1e-5F)});
  EXPECT_EQ(to_line(spec), "ConvBnRelu/f16/x=1x64x56x56/eps=9.999999747378752e-06");
  EXPECT_EQ(parse_case(to_line(spec)).attrs.number("eps"), static_cast<double>(1e-5F));
}

TEST(CaseLine, TakesAttributesAndOptionsInAnyOrderBehindTheShapes) {
  const CaseSpec spec = parse_case("ConvRelu/f32/x=2x3x5x7/oc=16,kernel=3x5/s7/random");
  EXPECT_EQ(spec.attrs.list("kernel"), (std::vector<double>{3, 5}));
  EXPECT_EQ(spec.seed, 7U);
  EXPECT_EQ(spec.data, std::vector<DataSet>{DataSet::random});
}

TEST(CaseLine, HoldsNothingThatAShellWouldTouch) {
  const std::string line = to_line(largest());
  EXPECT_EQ(line.find_first_of(" '\"$*?()[]{}<>|&;\\`!#~"), std::string::npos) << line;
}

struct Wrong {
  const char* line;
  const char* says;
};

class WrongCaseLine : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongCaseLine, IsRefused) {
  testing::expect_error(ErrorKind::usage, HasSubstr(GetParam().says), [] { parse_case(GetParam().line); });
}

INSTANTIATE_TEST_SUITE_P(All, WrongCaseLine,
                         ::testing::Values(Wrong{"", "needs at least OP/DTYPE/x=DIMS"},
                                           Wrong{"ConvRelu/f16", "needs at least"},
                                           Wrong{"Conv Relu/f16/x=1x2", "is not the name of an op"},
                                           Wrong{"ConvRelu/f17/x=1x2", "f17"},
                                           Wrong{"ConvRelu/f16/1x2x3x4", "'1x2x3x4' is not NAME=VALUE"},
                                           Wrong{"ConvRelu/f16/x=1x2x3x4,x=1x2x3x4", "'x' is there twice"},
                                           Wrong{"ConvRelu/f16/x=1x-2x3x4", "-2"},
                                           Wrong{"ConvRelu/f16/x=1x2x3x4/kernel=3,kernel=5", "twice"},
                                           Wrong{"ConvRelu/f16/x=1x2x3x4/kernel=3y3", "3y3"},
                                           Wrong{"ConvRelu/f16/x=1x2x3x4/random+random", "twice"},
                                           Wrong{"ConvRelu/f16/x=1x2x3x4/random/exact", "'data' is there twice"},
                                           Wrong{"ConvRelu/f16/x=1x2x3x4/random+rnadom", "Did you mean 'random'?"},
                                           Wrong{"ConvRelu/f16/x=1x2x3x4/s18446744073709551616", "above 2^64-1"},
                                           Wrong{"ConvRelu/f16/x=1x2x3x4/s1/kernel=3", "is none of DATA"},
                                           Wrong{"ConvRelu/f16/x=1x2x3x4/dy=random", "only dy=ones"},
                                           Wrong{"ConvRelu/f16/x=1x2x3x4/round=conv", "is not NAME:VALUE"},
                                           Wrong{"ConvRelu/f16/x=1x2x3x4/model=abacus", "abacus"},
                                           Wrong{"ConvRelu/f16,w=f32,w=f16/x=1x2x3x4", "'w' is there twice"},
                                           Wrong{"ConvRelu/f16/x=1x2x3x4/", "''"}));

// Every line that is one byte away from a good one either is a case that round-trips, or is refused.
TEST(CaseLine, SurvivesEverySingleByteChangeAndTruncation) {
  const std::string good = to_line(largest());
  int cases = 0, refused = 0;
  const auto attempt = [&](const std::string& line) {
    try {
      const CaseSpec spec = parse_case(line);
      expect_equal(parse_case(to_line(spec)), spec);
      ++cases;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage) << line;
      ++refused;
    }
  };
  for (std::size_t i = 0; i < good.size(); ++i) {
    attempt(good.substr(0, i));
    for (int byte = 0; byte < 256; ++byte) {
      std::string line = good;
      line[i] = static_cast<char>(byte);
      attempt(line);
    }
  }
  // The unchanged line alone is there once for each position.
  EXPECT_GE(cases, static_cast<int>(good.size()));
  EXPECT_GT(refused, cases);
}

TEST(DataSets, HaveTheirNames) {
  EXPECT_EQ(name_of(DataSet::exact), "exact");
  EXPECT_EQ(name_of(DataSet::random), "random");
  EXPECT_EQ(name_of(DataSet::stress), "stress");
  EXPECT_EQ(parse_data_set("stress"), DataSet::stress);
}

}  // namespace
}  // namespace fusecheck
