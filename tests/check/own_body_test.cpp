// A body with casts declares a private schedule (J8): a kernel that follows it passes, another one is told which
// schedule it follows, and the report says what the declaration costs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fusecheck/check.hpp"

namespace fusecheck {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor f32(const std::vector<double>& values) {
  return Tensor::from(DType::f32, {static_cast<std::int64_t>(values.size())}, std::span<const double>(values));
}

// y = relu(f16(x + r) - x). 2048 + 1 = 2049 lies halfway between the f16 neighbours 2048 and 2050 and goes to the even
// one: y = 0, where exact algebra gives 1. 2 + 1 and 4 + 3 are f16 values: y = 1 and 3 either way.
CheckRequest request(const std::vector<double>& actual) {
  CheckRequest request;
  request.spec = parse_case("body:t1=add:x:r+s=f16:t1+d=sub:s:x+y=relu:d/f32/x=3/random/fwd");
  request.inputs = {{"x", f32({2048, 2, 4})}, {"r", f32({1, 1, 3})}};
  request.actual = {{"y", f32(actual)}};
  return request;
}

TEST(OwnBody, AKernelThatRoundsWhereTheBodySaysPasses) {
  const CheckReport report = check(request({0, 1, 3}));
  EXPECT_EQ(report.recipe, "as-written");
  EXPECT_EQ(report.status, Status::pass);
  EXPECT_THAT(report.sets.at(0).explained_by, ElementsAre("as-written"));
}

// A cast of an input, drawn: the emulation follows the declaration on every set of data.
TEST(OwnBody, AnInputMayBeCastAtOnce) {
  for (const char* set : {"exact", "random", "stress"}) {
    CheckRequest request;
    request.spec = parse_case(std::string("body:s=f16:x+y=neg:s/f32/x=64/") + set);
    EXPECT_EQ(check(request).status, Status::pass) << set;
  }
}

// 1 against 0: one f32 spacing at 1 is 2^-23, so 8,388,608 ULP; the other two elements agree, so the median is 0.
TEST(OwnBody, TheReportSaysWhatTheDeclarationCosts) {
  const CheckReport report = check(request({0, 1, 3}));
  EXPECT_THAT(report.sets.at(0).notes, Contains(HasSubstr("y 8388608 (0)")));
}

TEST(OwnBody, AKernelThatKeepsTheSumIsToldWhatToDeclare) {
  const CheckReport report = check(request({1, 1, 3}));
  EXPECT_EQ(report.status, Status::fail);
  ASSERT_FALSE(report.sets.at(0).nearest.empty());
  EXPECT_EQ(report.sets.at(0).nearest.at(0).schedule, "fused");
  EXPECT_EQ(report.sets.at(0).nearest.at(0).declare, "--recipe fused");
  EXPECT_EQ(report.sets.at(0).nearest.at(0).outside, 0);
}

TEST(OwnBody, ItsCaseLineGivesItBack) {
  const std::string line = "body:c=conv2d:x:w:kernel=1x1+y=relu:c/f16/x=1x2x3x4";
  const CaseSpec spec = parse_case(line);
  EXPECT_EQ(spec.body, "c = conv2d(x, w, kernel=[1, 1]); y = relu(c)");
  EXPECT_EQ(to_line(spec), line);
}

}  // namespace
}  // namespace fusecheck
