// Tolerances as text, and impostors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "expected.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck {
namespace {

using testing::constant;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::within;

std::string refusal(std::string_view text) {
  try {
    parse_tolerance(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "accepted";
}

TEST(Tolerance, RoundTrips) {
  for (const std::string text :
       {"bound", "exact", "ulp:4", "mixed:0.001,1e-05", "cann-mixed-2026-07", "cann-mere-mare-2026-04", "cann-cross-l0",
        "cann-cross-l1", "cann-cross-l2", "ascendc-sample", "msprobe", "torch", "benchdnn"}) {
    EXPECT_EQ(parse_tolerance(to_text(parse_tolerance(text))), parse_tolerance(text)) << text;
    EXPECT_EQ(parse_tolerance(text).name, text.substr(0, text.find(':')));
  }
  EXPECT_EQ(to_text(parse_tolerance("ulp:4")), "ulp:4");
  EXPECT_EQ(parse_tolerance("mixed:1e-3,1e-5").rtol, 1e-3);
  EXPECT_EQ(parse_tolerance("mixed:1e-3,1e-5").atol, 1e-5);
  EXPECT_EQ(parse_tolerance("ulp:0").max_ulp, 0);
}

TEST(Tolerance, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(refusal("tourch"), HasSubstr("'torch'"));
  EXPECT_THAT(refusal("nonsense"), HasSubstr("unknown"));
  EXPECT_THAT(refusal(""), HasSubstr("unknown"));
  EXPECT_THAT(refusal("ulp"), HasSubstr("ulp:N"));
  EXPECT_THAT(refusal("ulp:1,2"), HasSubstr("ulp:N"));
  EXPECT_THAT(refusal("mixed:1e-3"), HasSubstr("mixed:RTOL,ATOL"));
  EXPECT_THAT(refusal("torch:1"), HasSubstr("write torch"));
  EXPECT_THAT(refusal("bound:1"), HasSubstr("unknown"));
  EXPECT_THAT(refusal("ulp:-1"), HasSubstr("negative"));
  EXPECT_THAT(refusal("mixed:-1,0"), HasSubstr("negative"));
  EXPECT_NE(refusal("mixed:nan,0"), "accepted");
  EXPECT_NE(refusal("ulp:x"), "accepted");
}

TEST(Tolerance, EveryStandardStatesItsSource) {
  const std::vector<ToleranceDescription> all = list_tolerances();
  EXPECT_EQ(all.size(), 13U);
  for (const ToleranceDescription& one : all) {
    EXPECT_FALSE(one.rule.empty()) << one.name;
    EXPECT_FALSE(one.source.empty()) << one.name;
  }
}

TEST(Impostors, ThoseThatPassAreNamed) {
  const Expected expected = within({2, 2}, DType::f32, {0.5, -0.5, 3, 0}, 1);
  const std::vector<Impostor> impostors = {
      {"zeros", {0, 0, 0, 0}}, {"x", {1, 0, 2, 1}}, {"NaN", {0.5, -0.5, std::numeric_limits<double>::quiet_NaN(), 0}}};
  EXPECT_THAT(passing_impostors(expected, impostors, {}), ElementsAre("x"));
  EXPECT_THROW(passing_impostors(expected, {{"short", {1}}}, {}), Error);
}

TEST(Impostors, ALooseToleranceLetsThemPassAndNamesThem) {
  // The largest |truth| is 3: zeros pass atol 3 and not 2.5; "near" is 0.25 off everywhere, outside the intervals.
  const Expected expected = within({2, 2}, DType::f32, {0.5, -0.5, 3, 0}, 0.125);
  const std::vector<Impostor> impostors = {{"zeros", {0, 0, 0, 0}}, {"near", {0.75, -0.25, 3.25, 0.25}}};
  EXPECT_TRUE(passing_impostors(expected, impostors, {}).empty());
  EXPECT_THAT(passing_impostors(expected, impostors, {.tolerance = parse_tolerance("mixed:0,3")}),
              ElementsAre("zeros", "near"));
  EXPECT_THAT(passing_impostors(expected, impostors, {.tolerance = parse_tolerance("mixed:0,2.5")}),
              ElementsAre("near"));
}

TEST(Impostors, StatisticsUnmaskThem) {
  // f16, 64 values, intervals of one ulp; "x" is one ulp low everywhere: inside, and 64 flips of 2 expected.
  std::vector<double> truth, low;
  for (int i = 0; i < 64; ++i) {
    truth.push_back(1 + (i + 1) * 0x1p-10);
    low.push_back(truth.back() - 0x1p-10);
  }
  Expected expected = within({64}, DType::f16, truth, 0x1p-10);
  expected.half_width.assign(64, 0x1p-14);
  expected.typical = expected.typical_rms = 0.5;
  EXPECT_TRUE(passing_impostors(expected, {{"x", low}}, {}).empty());
  EXPECT_THAT(passing_impostors(expected, {{"x", low}}, {.statistics = false}), ElementsAre("x"));
  EXPECT_THAT(passing_impostors(expected, {{"itself", truth}}, {}), ElementsAre("itself"));
}

TEST(Vacuous, TheShareOfElementsWhoseIntervalSwallowsTruth) {
  // |truth| 4, 2, 1, 0 with half-interval 1.5: the last two.
  EXPECT_EQ(vacuous_share(within({4}, DType::f32, {4, -2, 1, 0}, 1.5)), 0.5);
  // Exactly the truth is not over it; zeros that must be zero are not vacuous.
  EXPECT_EQ(vacuous_share(constant({4}, 2, 2)), 0);
  EXPECT_EQ(vacuous_share(constant({4}, 0, 0)), 0);
  // f32 subnormals are multiples of 2^-149: a limit of 16 of them is about as fine as the format, one of 32 is not.
  EXPECT_EQ(vacuous_share(within({4}, DType::f32, {0, 0, 0, 0x1p-149}, 0x1p-145)), 0);
  EXPECT_EQ(vacuous_share(within({4}, DType::f32, {0, 0, 0, 0x1p-149}, 0x1p-144)), 1);
  constexpr double inf = std::numeric_limits<double>::infinity();
  const Expected anything{.shape = {1}, .dtype = DType::f32, .truth = {1}, .low = {-inf}, .high = {inf}};
  EXPECT_EQ(vacuous_share(anything), 1);
}

}  // namespace
}  // namespace fusecheck
