// Each rule of the gate on rows that a person wrote, and the CSV that holds them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "suite/gate.hpp"
#include "support/expect_error.hpp"
#include "support/temp_dir.hpp"

namespace fusecheck::testing {
namespace {

using suite::BaselineRow;
using ::testing::HasSubstr;

const suite::RowKey key = {"ConvRelu/f16,b=f32/x=1x4x6x6", "random", "y"};

// 10,000 elements, so that a thousandth is 10 of them.
BaselineRow row() { return {"pass", "epilogue", "ieee", "bound", "c0ffee", 10000, 0, 0, 4, 100, 0.4, -0.05, 0.1, ""}; }

struct Rule {
  std::string name;
  std::function<void(BaselineRow&)> change;
  std::string verdict, metric;  // empty: no worse
};

TEST(GateRules, HoldEachNumberToItsBase) {
  const std::vector<Rule> rules = {
      {"equal", [](BaselineRow&) {}, "", ""},
      // 4 ULP: the larger of 6 and 5.
      {"ulp at its limit", [](BaselineRow& r) { r.max_ulp = 6; }, "", ""},
      {"ulp above", [](BaselineRow& r) { r.max_ulp = 7; }, "worse", "max_ulp"},
      // 0.4: the larger of 0.8 and 0.5.
      {"used at its limit", [](BaselineRow& r) { r.used = 0.8; }, "", ""},
      {"used above", [](BaselineRow& r) { r.used = 0.81; }, "worse", "used"},
      // 100 flips: the larger of 200 and 110.
      {"flips at their limit", [](BaselineRow& r) { r.flips = 200; }, "", ""},
      {"flips above", [](BaselineRow& r) { r.flips = 201; }, "worse", "flips"},
      // |mean| 0.05: the larger of 0.1 and 0.07, either sign.
      {"mean at its limit", [](BaselineRow& r) { r.mean_ulp = 0.1; }, "", ""},
      {"mean above", [](BaselineRow& r) { r.mean_ulp = 0.11; }, "worse", "mean_ulp"},
      {"mean below", [](BaselineRow& r) { r.mean_ulp = -0.11; }, "worse", "mean_ulp"},
      // 0.1: the larger of 0.2 and 0.12.
      {"rms at its limit", [](BaselineRow& r) { r.rms = 0.2; }, "", ""},
      {"rms above", [](BaselineRow& r) { r.rms = 0.21; }, "worse", "rms"},
      {"a number that is none", [](BaselineRow& r) { r.rms = std::nan(""); }, "worse", "rms"},
      // A tenth of the limit: nothing soft counts, everything hard does.
      {"noise", [](BaselineRow& r) { r.max_ulp = 900, r.used = 0.1; }, "", ""},
      {"bad in the noise", [](BaselineRow& r) { r.bad = 1, r.used = 0.1; }, "worse", "bad"},
      {"one more bad", [](BaselineRow& r) { r.bad = 1; }, "worse", "bad"},
      {"one NaN", [](BaselineRow& r) { r.nonfinite = 1; }, "non-finite", "nonfinite"},
      {"fails", [](BaselineRow& r) { r.status = "fail"; }, "failed", "status"},
      {"weak", [](BaselineRow& r) { r.status = "weak"; }, "weak", "status"},
      {"schedule", [](BaselineRow& r) { r.recipe = "fold"; }, "changed", "schedule"},
      {"model", [](BaselineRow& r) { r.model = "ascend-a2"; }, "changed", "model"},
      {"limit", [](BaselineRow& r) { r.limit = "ulp:8"; }, "changed", "limit"},
      {"contract", [](BaselineRow& r) { r.contract = "decaf"; }, "changed", "contract"},
      {"size", [](BaselineRow& r) { r.n = 9999; }, "changed", "n"},
  };
  for (const Rule& rule : rules) {
    BaselineRow now = row();
    rule.change(now);
    const auto finding = suite::worse_than(key, row(), now);
    EXPECT_EQ(finding ? finding->verdict : "", rule.verdict) << rule.name;
    EXPECT_EQ(finding ? finding->metric : "", rule.metric) << rule.name;
  }
}

TEST(GateRules, SayTheLimit) {
  BaselineRow now = row();
  now.max_ulp = 9;
  const auto finding = suite::worse_than(key, row(), now);
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->base + " " + finding->now + " " + finding->limit, "4 9 6");
}

TEST(BaselineFile, RoundTripsSorted) {
  const TempDir folder;
  suite::Baseline baseline;
  baseline[key] = row();
  baseline[key].reason = "an \"odd\" one, and a comma";
  baseline[{"Add/f32/x=2", "exact", "y"}] = {
      "weak", "unfused", "mma:8,24", "bound", "", 2, 0, 0, 0, 0, 0, 0, static_cast<double>(INFINITY), ""};
  const std::string text = suite::to_csv(baseline);
  EXPECT_THAT(text, HasSubstr("\nAdd/f32/x=2,exact,y,weak,unfused,\"mma:8,24\",bound,,2,0,0,0,0,0,0,inf,\n"
                              "\"ConvRelu/f16,b=f32/x=1x4x6x6\",random,y,pass,"));
  EXPECT_EQ(suite::read_baseline(folder.write("b.csv", text)), baseline);
}

TEST(BaselineFile, RefusesDamage) {
  const TempDir folder;
  suite::Baseline one;
  one[{"Add/f32/x=2", "exact", "y"}] = row();
  const std::string good = suite::to_csv(one);
  const std::string begin = good.substr(0, good.find('\n') + 1), line = good.substr(begin.size());
  const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  const auto refused = [&](const std::string& text, const std::string& says) {
    const std::string path = folder.write("b.csv", text);
    expect_error(ErrorKind::usage, HasSubstr(says), [&] { suite::read_baseline(path); });
  };
  refused("", "b.csv:1: not the columns of a baseline");
  refused(line, "b.csv:1: not the columns of a baseline");
  refused(begin + line + line, "b.csv:3: case 'Add/f32/x=2' y is there twice");
  refused(begin + line.substr(0, line.size() - 1), "b.csv:2: the line has no end");
  refused(begin + "Add,exact,y\n", "b.csv:2: 3 cells, expected 17");
  refused(begin + replaced(line, ",pass,", ",fine,"), "b.csv:2: status 'fine' is none of pass, weak");
  refused(begin + replaced(line, ",10000,", ",many,"), "b.csv:2: n: 'many'");
  refused(begin + replaced(line, ",10000,", ",-1,"), "b.csv:2: n -1 is negative");
  refused(begin + replaced(line, "Add", "\"Add"), "b.csv:2: a quote is not closed");
  refused(begin + replaced(line, "Add", "\"Add\"x"), "b.csv:2: a quote in the middle");
  refused("version https://git-lfs.github.com/spec/v1\n", "is a Git LFS pointer");
}

}  // namespace
}  // namespace fusecheck::testing
