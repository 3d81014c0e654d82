// Attributes: defaults, widening, ranges; and the registry of ops.
#include "fusecheck/attrs.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "fusecheck/registry.hpp"
#include "support/expect_error.hpp"

namespace fusecheck {
namespace {

using ::testing::AllOf;
using testing::expect_error;
using ::testing::HasSubstr;
using List = std::vector<double>;

const std::vector<AttrSpec>& specs() {
  static const std::vector<AttrSpec> list = {
      {.name = "pad", .fallback = {0, 0, 0, 0}, .doc = "zeros", .low = 0, .high = 9, .counts = {1, 2, 4}},
      {.name = "pad3d", .fallback = {0, 0, 0, 0, 0, 0}, .doc = "zeros", .low = 0, .high = 9, .counts = {1, 3, 6}},
      {.name = "eps", .fallback = {1}, .doc = "added", .low = 0, .high = 2, .whole = false},
  };
  return list;
}

Attrs completed(const std::string& name, List value) {
  Attrs given;
  given.set(name, std::move(value));
  return complete_attrs(specs(), given, "op");
}

void expect_refusal(const std::string& name, List value, const ::testing::Matcher<std::string>& message) {
  expect_error(ErrorKind::usage, message, [&] { completed(name, std::move(value)); });
}

TEST(Attrs, Widening) {
  EXPECT_EQ(completed("pad", {3}).list("pad"), (List{3, 3, 3, 3}));
  EXPECT_EQ(completed("pad", {1, 2}).list("pad"), (List{1, 2, 1, 2}));  // h, w: top, left, bottom, right
  EXPECT_EQ(completed("pad3d", {1, 2, 3}).list("pad3d"), (List{1, 2, 3, 1, 2, 3}));  // before each axis, after each
  EXPECT_EQ(completed("pad", {1, 2, 3, 4}).list("pad"), (List{1, 2, 3, 4}));
  EXPECT_EQ(completed("eps", {0.5}).list("pad"), (List{0, 0, 0, 0}));
}

// 0.1 lies between the f32 values 13421772·2^-27 and 13421773·2^-27, nearer to the second (13421772.8).
TEST(Attrs, AreF32Values) { EXPECT_EQ(completed("eps", {0.1}).number("eps"), 13421773 * 0x1p-27); }

TEST(Attrs, Refusals) {
  expect_refusal("pad", {1, 2, 3}, HasSubstr("pad takes 1 or 2 or 4 numbers, got 3"));
  expect_refusal("pad", {}, HasSubstr("got 0"));
  expect_refusal("pad", {10}, AllOf(HasSubstr("pad 10"), HasSubstr("[0, 9]")));
  expect_refusal("pad", {-1}, HasSubstr("pad -1"));
  expect_refusal("pad", {0.5}, HasSubstr("pad 0.5 is not a whole number"));
  expect_refusal("eps", {std::numeric_limits<double>::quiet_NaN()}, HasSubstr("outside [0, 2]"));
  expect_refusal("epps", {1}, AllOf(HasSubstr("no attribute 'epps'"), HasSubstr("Did you mean 'eps'?")));
}

TEST(Attrs, AnAbsentOneIsOurBug) {
  expect_error(ErrorKind::internal, HasSubstr("oc"), [] { completed("pad", {1}).integer("oc"); });
  expect_error(ErrorKind::internal, HasSubstr("pad"), [] { completed("pad", {1}).integer("pad", 4); });
}

TEST(Registry, IsSortedAndHasNoNameTwice) {
  std::set<std::string> names;
  std::string last;
  for (const OpDef& op : all_ops()) {
    EXPECT_LT(last, op.name);
    last = op.name;
    EXPECT_TRUE(names.insert(op.name).second) << op.name;
    for (const std::string& alias : op.aliases) EXPECT_TRUE(names.insert(alias).second) << alias;
  }
  EXPECT_TRUE(names.contains("conv2d") && names.contains("ConvBnReluAdd"));
}

TEST(Registry, FindsByNameAndAlias) {
  EXPECT_EQ(find_op("relu").name, "relu");
  for (const char* alias : {"FusedConvBnRelu", "ConvBatchNormReLU"}) EXPECT_EQ(find_op(alias).name, "ConvBnRelu");
  EXPECT_EQ(find_op("FusedConvBnReluAddResidual").name, find_op("ConvBnReluAddResidual").name);
}

TEST(Registry, SuggestsWhatIsNear) {
  expect_error(ErrorKind::usage, AllOf(HasSubstr("'ConvBnRelo'"), HasSubstr("Did you mean 'ConvBnRelu'?")),
               [] { find_op("ConvBnRelo"); });
}

}  // namespace
}  // namespace fusecheck
