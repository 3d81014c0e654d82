// Which cases a suite holds, and what decides each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "fusecheck/suite.hpp"
#include "support/expect_error.hpp"
#include "support/temp_dir.hpp"

namespace fusecheck::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> ids(const Suite& suite) {
  std::vector<std::string> all;
  for (const SuiteCase& one : suite.cases) all.push_back(one.id);
  return all;
}

Suite parse(const std::string& text, const std::string& target = "") { return parse_suite(text, "s.yaml", target); }

// Two axes of two and one of one: the last written varies fastest; then the explicit cases, in both ways of writing.
TEST(SuiteCases, AreTheProductOfTheAxesThenTheExplicitOnes) {
  const Suite suite = parse(
      "version: 1\n"
      "defaults: {seed: 3, data: [exact, random]}\n"
      "matrix:\n"
      "  - {op: [ConvRelu, ConvBn], shape: 1x4x6x6, kernel: [1, 3x1]}\n"
      "cases:\n"
      "  - ConvAdd/bf16/x=1x4x5x5\n"
      "  - {op: ConvAdd, shape: 1x4x5x5, dtype: bf16, bias: true, data: all}\n");
  EXPECT_THAT(ids(suite), ElementsAre("ConvRelu/f16/x=1x4x6x6/kernel=1/exact+random/s3",
                                      "ConvRelu/f16/x=1x4x6x6/kernel=3x1/exact+random/s3",
                                      "ConvBn/f16/x=1x4x6x6/kernel=1/exact+random/s3",
                                      "ConvBn/f16/x=1x4x6x6/kernel=3x1/exact+random/s3", "ConvAdd/bf16/x=1x4x5x5",
                                      "ConvAdd/bf16/x=1x4x5x5/bias/s3"));
  EXPECT_EQ(suite.name, "s");
}

// 2 x 2 x 2 = 8 combinations; `where` keeps those with stride 1 or with kernel 3 (the default pad is none of them),
// `exclude` drops bf16 with kernel 1. Left: f16 {1,1}, {3,1}, {3,2}; bf16 {3,1}, {3,2}.
TEST(SuiteCases, ObeyConstraints) {
  const Suite suite = parse(
      "version: 1\n"
      "matrix:\n"
      "  - op: ConvRelu\n"
      "    shape: 1x4x6x6\n"
      "    dtype: [f16, bf16]\n"
      "    kernel: [1, 3]\n"
      "    stride: [1, 2]\n"
      "    where:\n"
      "      - {stride: 1}\n"
      "      - {kernel: [3, 5]}\n"
      "    exclude:\n"
      "      - {dtype: bf16, kernel: 1}\n");
  EXPECT_THAT(ids(suite),
              ElementsAre("ConvRelu/f16/x=1x4x6x6/kernel=1,stride=1", "ConvRelu/f16/x=1x4x6x6/kernel=3,stride=1",
                          "ConvRelu/f16/x=1x4x6x6/kernel=3,stride=2", "ConvRelu/bf16/x=1x4x6x6/kernel=3,stride=1",
                          "ConvRelu/bf16/x=1x4x6x6/kernel=3,stride=2"));
}

// A combination that does not fit together (ConvRelu has no batch norm) may be excluded, and must be.
TEST(SuiteCases, MayExcludeWhatDoesNotFitTogether) {
  const std::string text = "version: 1\nmatrix:\n  - {op: [ConvRelu, ConvBn], shape: 1x4x6x6, bn: [train, infer]";
  EXPECT_THAT(ids(parse(text + ", exclude: [{op: ConvRelu, bn: train}, {op: ConvRelu, bn: infer}]}\n")),
              ElementsAre("ConvBn/f16/x=1x4x6x6/bn=train", "ConvBn/f16/x=1x4x6x6/bn=infer"));
  expect_error(ErrorKind::usage, HasSubstr("s.yaml:3:5: case 'ConvRelu/f16/x=1x4x6x6/bn=train'"),
               [&] { parse(text + "}\n"); });
}

TEST(SuiteCases, ReadTheSameFromJson) {
  const std::string yaml =
      "version: 1\nmatrix:\n  - op: [ConvRelu, ConvBn]\n    shape: 1x4x6x6\n    eps: 1e-3\n    exclude: [{op: "
      "ConvRelu}]\n"
      "limits:\n  - match: {eps: 0.001}\n    rtol: 1e-3\n";
  const std::string json =
      "{\"version\": 1, \"matrix\": [{\"op\": [\"ConvRelu\", \"ConvBn\"], \"shape\": \"1x4x6x6\", \"eps\": 1e-3,\n"
      "\"exclude\": [{\"op\": \"ConvRelu\"}]}], \"limits\": [{\"match\": {\"eps\": 0.001}, \"rtol\": 1e-3}]}";
  EXPECT_THAT(ids(parse(yaml)), ElementsAre("ConvBn/f16/x=1x4x6x6/eps=0.001"));
  EXPECT_EQ(ids(parse(json)), ids(parse(yaml)));
  EXPECT_EQ(parse(json).sha256, parse(yaml).sha256);
  EXPECT_EQ(parse(yaml).limits.at(parse(yaml).cases[0].limit).tolerance.rtol, 0.001);
}

// First match wins; no match: `bound`. A matcher sees defaults (kernel 3) and takes 3x3 for 3.
TEST(SuiteLimits, AreThoseOfTheFirstMatch) {
  const Suite suite = parse(
      "version: 1\n"
      "matrix:\n  - {op: [ConvRelu, ConvBn, ConvAdd], shape: 1x4x6x6}\n"
      "limits:\n"
      "  - {match: {op: ConvBn}, max_ulp: 2, max_diff: 1e-2}\n"
      "  - {match: {kernel: 3x3, case: 'Conv(Bn|Add)/'}, tol: cann-mixed-2026-07}\n");
  const auto limit = [&](std::size_t i) { return suite.limits.at(suite.cases.at(i).limit); };
  EXPECT_EQ(to_text(limit(0).tolerance), "bound");
  EXPECT_EQ(to_text(limit(1).tolerance), "ulp:2");
  EXPECT_EQ(limit(1).max_diff, 0.01);
  EXPECT_EQ(to_text(limit(2).tolerance), "cann-mixed-2026-07");
}

TEST(SuiteKnownFailures, AreAttachedToTheirCases) {
  const Suite suite = parse(
      "version: 1\n"
      "matrix:\n  - {op: [ConvRelu, ConvBn], shape: 1x4x6x6}\n"
      "known_failures:\n"
      "  - {match: {op: ConvBn}, owner: conv-team, reason: tail of 8, expires: 2028-02-29}\n");
  EXPECT_FALSE(suite.cases[0].known_failure.has_value());
  ASSERT_TRUE(suite.cases[1].known_failure.has_value());
  EXPECT_EQ(suite.known_failures.at(*suite.cases[1].known_failure).owner, "conv-team");
  EXPECT_EQ(suite.known_failures.at(*suite.cases[1].known_failure).expires, "2028-02-29");
}

TEST(SuiteTargets, FillInModelAndRecipeWhereTheCaseNamesNone) {
  const std::string text =
      "version: 1\n"
      "cases:\n  - ConvBn/f16/x=1x4x6x6\n  - ConvBn/f16/x=1x4x6x6/recipe=fold/model=ieee+pairwise\n"
      "targets:\n  a2: {model: ascend-a2, recipe: epilogue, baseline: a2.csv}\n";
  EXPECT_THAT(ids(parse(text, "a2")), ElementsAre("ConvBn/f16/x=1x4x6x6/recipe=epilogue/model=ascend-a2",
                                                  "ConvBn/f16/x=1x4x6x6/recipe=fold/model=ieee+pairwise"));
  EXPECT_EQ(parse(text).targets.at(0).baseline, "a2.csv");
  EXPECT_NE(parse(text, "a2").sha256, parse(text).sha256);
  expect_error(ErrorKind::usage, HasSubstr("--target 'a3' is no target of s.yaml; there are a2"),
               [&] { parse(text, "a3"); });
}

// Whatever a result depends on is in the digest: a line, a limit, an expiry.
TEST(SuiteDigest, ChangesWithWhatResultsDependOn) {
  const auto digest = [](const std::string& kernel, const std::string& ulp, const std::string& day) {
    return parse("version: 1\ncases:\n  - {op: ConvBn, shape: 1x4x6x6, kernel: " + kernel +
                 "}\nlimits:\n  - {match: {op: ConvBn}, max_ulp: " + ulp +
                 "}\nknown_failures:\n  - {match: {op: ConvBn}, owner: o, reason: r, expires: 2027-01-" + day + "}\n")
        .sha256;
  };
  const std::set<std::string> all = {digest("3", "1", "01"), digest("1", "1", "01"), digest("3", "2", "01"),
                                     digest("3", "1", "02")};
  EXPECT_EQ(all.size(), 4U);
  EXPECT_EQ(digest("3", "1", "01"), digest("3", "1", "01"));
}

// 53 convolutions: 1 + 3 for each of 3 + 4 + 6 + 3 = 16 blocks + 4 projections; then the 16 third ones once more.
TEST(ShippedSuites, HoldTheConvolutionsOfResnet50) {
  const Suite suite = read_suite("resnet50");
  ASSERT_EQ(suite.cases.size(), 69U);
  EXPECT_EQ(suite.cases[0].id, "ConvBnRelu/f16/x=1x3x224x224/kernel=7,oc=64,pad=3,stride=2/random");
  // torchvision documents 25,557,032 parameters; 2048 * 1000 + 1000 are the classifier's, and batch norms have two for
  // each of 64 + 16 blocks' (2 * 64 + 256) * 3 + (2 * 128 + 512) * 4 + (2 * 256 + 1024) * 6 + (2 * 512 + 2048) * 3 +
  // projections' 256 + 512 + 1024 + 2048 = 26,560 channels: 25,557,032 - 2,049,000 - 53,120 = 23,454,912.
  double weights = 0, residual = 0;
  for (std::size_t i = 0; i < 53; ++i) {
    const CaseSpec spec = parse_case(suite.cases[i].id);
    const double kernel = spec.attrs.number("kernel");
    weights += spec.attrs.number("oc") * static_cast<double>(spec.shapes.at("x")[1]) * kernel * kernel;
    residual += spec.op == "ConvBnAddRelu" ? 1 : 0;
  }
  EXPECT_EQ(weights, 23454912);
  EXPECT_EQ(residual, 16);
}

// The matrices of one layer of llama2.c's stories15M (dim 288, hidden 768): queries, keys, values and output 4·288²; up,
// gate and down 3·288·768: 331,776 + 663,552 = 995,328 numbers, in each type.
TEST(ShippedSuites, HoldTheProductsOfOneTransformerLayer) {
  std::map<DType, double> weights;
  for (const SuiteCase& one : read_suite("transformer").cases) {
    const CaseSpec spec = parse_case(one.id);
    if (spec.op == "matmul") weights[spec.dtype] += static_cast<double>(spec.shapes.at("a")[1]) * spec.attrs.number("n");
  }
  EXPECT_EQ(weights, (std::map<DType, double>{{DType::f16, 995328}, {DType::bf16, 995328}}));
}

// The example of docs/suites.md as it stands there. 2 x 2 x 3 x 2 = 24 combinations; `where` keeps stride 1 (12) and,
// of stride 2, kernel 3 (4); `exclude` drops one; two explicit cases.
TEST(SuiteDocumentation, IsTrue) {
  const std::string page = read_bytes(std::filesystem::path(FUSECHECK_SOURCE_DIR) / "docs/suites.md");
  const std::size_t begin = page.find("```yaml\n") + 8;
  const Suite suite = parse(page.substr(begin, page.find("```", begin) - begin), "a2");
  EXPECT_EQ(suite.cases.size(), 17U);
  EXPECT_EQ(suite.name, "conv");
  EXPECT_EQ(suite.cases[0].id,
            "ConvRelu/f16/x=1x16x14x14/kernel=1,stride=1/exact+random/recipe=epilogue/model=ascend-a2");
  EXPECT_EQ(suite.limits.at(suite.cases[14].limit).tolerance.max_ulp, 4);
}

TEST(ShippedSuites, AllRead) {
  for (const std::string& name : shipped_suites()) EXPECT_GT(read_suite(name).cases.size(), 10U) << name;
}

}  // namespace
}  // namespace fusecheck::testing
