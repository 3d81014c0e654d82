// Filters, samples and shards.
#include "suite/select.hpp"

#include <algorithm>
#include <set>

#include "suite_run.hpp"
#include "support/expect_error.hpp"

namespace fusecheck::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Suite of_seeds(int count, const std::string& ops = "ConvRelu") {
  std::string seeds;
  for (int i = 1; i <= count; ++i) seeds += (i > 1 ? "," : "") + std::to_string(i);
  return parse_suite("version: 1\nmatrix:\n  - {op: [" + ops + "], shape: 1x2x4x4, seed: [" + seeds + "]}\n", "s.yaml");
}

TEST(Selection, TakesAnyFilterAndNoExclude) {
  const Suite suite = of_seeds(12, "ConvRelu, ConvBn");  // lines end in nothing (seed 1), /s2 ... /s12
  suite::Selection selection;
  selection.filters = {"^ConvBn/.*/s[23]$", "s12"};
  selection.excludes = {"^ConvRelu.*s12$", "s3"};
  EXPECT_THAT(suite::select(suite, selection), ElementsAre(13, 23));  // ConvBn s2 and s12
  selection.filters = {"["};
  expect_error(ErrorKind::usage, HasSubstr("--filter '[' is not a regular expression"),
               [&] { suite::select(suite, selection); });
}

TEST(Selection, SampleGrowsByAdding) {
  const Suite suite = of_seeds(100);
  std::vector<std::size_t> smaller;
  for (const std::size_t size : {1U, 10U, 50U, 99U, 100U, 1000U}) {
    suite::Selection selection;
    selection.sample = size;
    const std::vector<std::size_t> larger = suite::select(suite, selection);
    EXPECT_EQ(larger.size(), std::min<std::size_t>(size, 100));
    EXPECT_TRUE(std::is_sorted(larger.begin(), larger.end()));
    EXPECT_TRUE(std::includes(larger.begin(), larger.end(), smaller.begin(), smaller.end()));
    smaller = larger;
  }
}

TEST(Selection, HasADigestOfWhatWasSelected) {
  const Suite suite = of_seeds(3);
  EXPECT_EQ(suite::selection_digest(suite, {0, 1}), suite::selection_digest(suite, {0, 1}));
  EXPECT_NE(suite::selection_digest(suite, {0, 1}), suite::selection_digest(suite, {0, 2}));
  EXPECT_NE(suite::selection_digest(suite, {0, 1}), suite::selection_digest(of_seeds(4), {0, 1}));
}

// SHA-256("abc") = ba7816bf8f01cfea... (FIPS 180-4, appendix B.1): 0xba7816bf8f01cfea = 13436514500253700074, mod 10
// is 4.
TEST(Shards, AreByTheHashOfTheLine) {
  EXPECT_EQ(suite::shard_of("abc", 10), 5U);
  EXPECT_EQ(suite::shard_of("abc", 1), 1U);
}

// 1,000 cases in 8 shards: 125 each on average; six standard deviations of a binomial are 63.
TEST(Shards, SplitEvenly) {
  std::vector<int> sizes(9, 0);
  for (const SuiteCase& one : of_seeds(1000).cases) ++sizes.at(suite::shard_of(one.id, 8));
  EXPECT_EQ(sizes[0], 0);
  for (std::size_t k = 1; k <= 8; ++k) EXPECT_NEAR(sizes[k], 125, 63) << k;
}

TEST(Shards, AreWrittenKOfN) {
  EXPECT_EQ(suite::parse_shard("2/8"), (suite::Shard{2, 8}));
  for (const char* wrong : {"0/8", "9/8", "2", "2/", "/8", "2/8/1", "-1/8", "a/b", "1/0", "2 /8"}) {
    expect_error(ErrorKind::usage, HasSubstr("is not K/N with 1 <= K <= N"), [&] { suite::parse_shard(wrong); });
  }
}

struct Environment {
  std::map<std::string, std::string> variables;
  suite::Shard shard;
};

// From 0 in Bazel and GoogleTest, from 1 in GitLab, from anything in Slurm (--array=10-17).
TEST(Shards, ComeFromTheVariablesOfTheJob) {
  const std::vector<Environment> all = {
      {{{"TEST_SHARD_INDEX", "0"}, {"TEST_TOTAL_SHARDS", "4"}}, {1, 4}},
      {{{"GTEST_SHARD_INDEX", "3"}, {"GTEST_TOTAL_SHARDS", "4"}}, {4, 4}},
      {{{"CI_NODE_INDEX", "1"}, {"CI_NODE_TOTAL", "3"}}, {1, 3}},
      {{{"CI_NODE_INDEX", "3"}, {"CI_NODE_TOTAL", "3"}}, {3, 3}},
      {{{"SLURM_ARRAY_TASK_ID", "12"}, {"SLURM_ARRAY_TASK_MIN", "10"}, {"SLURM_ARRAY_TASK_COUNT", "8"}}, {3, 8}},
      {{{"SLURM_ARRAY_TASK_ID", "0"}, {"SLURM_ARRAY_TASK_COUNT", "8"}}, {1, 8}},
      {{{"CI_NODE_INDEX", "2"}, {"CI_NODE_TOTAL", "3"}, {"TEST_SHARD_INDEX", "0"}, {"TEST_TOTAL_SHARDS", "4"}}, {1, 4}},
  };
  for (const Environment& one : all) {
    EXPECT_EQ(suite::find_shard(one.variables).shard, one.shard) << one.variables.begin()->first;
  }
  EXPECT_EQ(suite::find_shard(all[2].variables).source, "CI_NODE_INDEX=1, CI_NODE_TOTAL=3");
}

TEST(Shards, RefuseVariablesThatNameNone) {
  expect_error(ErrorKind::usage, HasSubstr("--shard auto finds none of TEST_SHARD_INDEX"), [] {
    suite::find_shard({{"CI_NODE_INDEX", "1"}});
  });
  for (const char* index : {"0", "4"}) {
    expect_error(ErrorKind::usage, HasSubstr("names no shard"), [&] {
      suite::find_shard({{"CI_NODE_INDEX", index}, {"CI_NODE_TOTAL", "3"}});
    });
  }
  expect_error(ErrorKind::usage, HasSubstr("CI_NODE_INDEX"), [] {
    suite::find_shard({{"CI_NODE_INDEX", "one"}, {"CI_NODE_TOTAL", "3"}});
  });
}

}  // namespace
}  // namespace fusecheck::testing
