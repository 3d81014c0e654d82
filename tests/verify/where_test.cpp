// Where the bad elements are, in words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "expected.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck {
namespace {

using testing::constant;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

using Index = std::vector<std::int64_t>;

// Marks every element for which `is_bad` holds.
Where where_of(const Shape& shape, const std::function<bool(const Index&)>& is_bad, const JudgeOptions& options = {}) {
  const Expected expected = constant(shape, 0);
  std::vector<double> actual = expected.truth;
  for (std::int64_t i = 0; i < element_count(shape); ++i) {
    if (is_bad(index_of(i, shape))) actual[static_cast<std::size_t>(i)] = 1;
  }
  return judge(expected, actual, options).where;
}

const Shape image = {2, 8, 16, 56};

TEST(Where, AChannel) {
  const Where where = where_of(image, [](const Index& i) { return i[1] == 3; });
  EXPECT_THAT(where.lines, ElementsAre("channel 3 only, all of it", "first bad at n=0,c=3,h=0,w=0"));
  EXPECT_THAT(where.per_axis[1], ElementsAre(0, 0, 0, 2 * 16 * 56, 0, 0, 0, 0));
  // Border of a 16x56 plane: 2·16 + 2·56 - 4 = 140.
  EXPECT_EQ(where.border, 2 * 140);
  EXPECT_EQ(where.interior, 2 * (16 * 56 - 140));
}

TEST(Where, TwoNeighbouringChannels) {
  const Where where = where_of(image, [](const Index& i) { return i[1] == 3 || i[1] == 4; });
  EXPECT_EQ(where.lines.at(0), "channels 3 and 4 only, all of it");
}

TEST(Where, ABatch) {
  const Where where = where_of(image, [](const Index& i) { return i[0] == 1 && i[3] % 3 != i[2] % 2; });
  EXPECT_EQ(where.lines.at(0), "batch 1 only");
}

TEST(Where, TheLastColumn) {
  const Where where = where_of(image, [](const Index& i) { return i[3] == 55; });
  EXPECT_EQ(where.lines.at(0), "last column only, all of it");
  // It is on the border too, which covers more of the tensor and comes later.
  EXPECT_EQ(where.lines.at(1), "border only");
}

TEST(Where, ATail) {
  // Half of the elements of the tail.
  const Where where = where_of(image, [](const Index& i) { return i[3] >= 48 && (i[2] + i[3]) % 2 == 0; });
  EXPECT_EQ(where.lines.at(0), "every bad element has w in [48,56), the last 8 of 56");
}

TEST(Where, ARangeInTheMiddle) {
  const Where where = where_of(image, [](const Index& i) { return i[2] >= 4 && i[2] < 9; });
  EXPECT_EQ(where.lines.at(0), "every bad element has h in [4,9), all of it");
}

TEST(Where, EverySixteenthColumn) {
  const Where where = where_of({1, 4, 8, 64}, [](const Index& i) { return i[3] % 16 == 15; });
  EXPECT_EQ(where.lines.at(0), "every 16th w from 15, all of it");
}

TEST(Where, HalfOfEachTileOfSixteen) {
  const Where where = where_of({1, 4, 8, 64}, [](const Index& i) { return i[3] % 16 >= 8; });
  EXPECT_EQ(where.lines.at(0), "w mod 16 in [8,16) only, all of it");
}

TEST(Where, BorderAndInterior) {
  const auto on_border = [](const Index& i) { return i[2] == 0 || i[2] == 15 || i[3] == 0 || i[3] == 55; };
  Where where = where_of(image, on_border);
  EXPECT_EQ(where.lines.at(0), "border only");
  EXPECT_EQ(where.interior, 0);
  where = where_of(image, [&](const Index& i) { return !on_border(i); });
  EXPECT_THAT(where.lines, Contains("interior only"));
  EXPECT_EQ(where.border, 0);
  // A 5x5 kernel's padding reaches two elements in.
  where = where_of(image, [](const Index& i) { return i[2] < 2 || i[2] > 13 || i[3] < 2 || i[3] > 53; });
  EXPECT_THAT(where.lines, Contains("border only (within 2 of the edge)"));
}

TEST(Where, OneElementIsNamed) {
  const Where where = where_of(image, [](const Index& i) { return i == Index{1, 2, 3, 4}; });
  EXPECT_THAT(where.lines, ElementsAre("one bad element, at n=1,c=2,h=3,w=4"));
}

TEST(Where, AFewStrewnElementsAreNamedAndNoPatternIsInvented) {
  const Where where = where_of(image, [](const Index& i) {
    return i == Index{0, 2, 3, 4} || i == Index{1, 5, 9, 40} || i == Index{1, 7, 12, 11};
  });
  EXPECT_THAT(where.lines, ElementsAre("bad at n=0,c=2,h=3,w=4; n=1,c=5,h=9,w=40; n=1,c=7,h=12,w=11"));
}

TEST(Where, StrewnElementsHaveNoPattern) {
  // 7·13·... : a linear congruence spreads 64 elements over all axes.
  const Expected expected = constant(image, 0);
  std::vector<double> actual = expected.truth;
  for (std::size_t k = 0; k < 64; ++k) actual[(k * k * 7919 + k * 104729) % actual.size()] = 1;
  const Where where = judge(expected, actual).where;
  ASSERT_EQ(where.lines.size(), 1U);
  EXPECT_THAT(where.lines[0], HasSubstr("first bad at"));
}

TEST(Where, MostOfThemInOneChannel) {
  // 95 of 100 in channel 5.
  const Where where = where_of(image, [](const Index& i) {
    return (i[0] == 0 && i[1] == 5 && i[2] * 56 + i[3] < 95) || (i[0] == 1 && i[1] < 5 && i[2] == 8 && i[3] == 30);
  });
  EXPECT_THAT(where.lines, Contains("95 % of them in channel 5"));
}

TEST(Where, EveryElement) {
  const Where where = where_of(image, [](const Index&) { return true; });
  EXPECT_THAT(where.lines, ElementsAre("every element, all 14,336"));
}

TEST(Where, AVectorOfChannels) {
  const Where where = where_of({64}, [](const Index& i) { return i[0] == 3 || i[0] == 4; });
  EXPECT_EQ(where.lines.at(0), "channels 3 and 4 only, all of it");
  EXPECT_TRUE(where_of({1}, [](const Index&) { return false; }).lines.empty());
}

TEST(Where, AVectorLaneAcrossRows) {
  // Rows of 7: element 16k + 5 of 3·5·7·8 = 840 in memory order; no axis shows it.
  const Shape shape = {3, 8, 5, 7};
  const Where where =
      where_of(shape, [](const Index& i) { return (((i[0] * 8 + i[1]) * 5 + i[2]) * 7 + i[3]) % 16 == 5; });
  EXPECT_EQ(where.lines.at(0), "every 16th element in memory order, from 5");
}

TEST(Where, TheCallerNamesTheAxes) {
  const JudgeOptions options = {.axes = {"oc", "c", "kh", "kw"}};
  const Where where = where_of(
      {16, 8, 3, 3}, [](const Index& i) { return i[2] == 2; }, options);
  EXPECT_EQ(where.lines.at(0), "kernel row 2 only, all of it");
  EXPECT_EQ(where.lines.back(), "first bad at oc=0,c=0,kh=2,kw=0");
  EXPECT_THROW(where_of(
                   {16, 8}, [](const Index&) { return true; }, options),
               Error);
}

TEST(Where, AtMostFiveLines) {
  const Where where =
      where_of(image, [](const Index& i) { return i[0] == 1 && i[1] == 2 && i[2] == 0 && i[3] >= 40 && i[3] < 52; });
  EXPECT_LE(where.lines.size(), 5U);
  EXPECT_EQ(where.lines.at(0), "first row only");
}

TEST(Where, AScalar) {
  EXPECT_THAT(where_of({}, [](const Index&) { return true; }).lines, ElementsAre("one bad element, at the scalar"));
}

}  // namespace
}  // namespace fusecheck
