#include "fusecheck/shape.hpp"

#include <gtest/gtest.h>

#include "support/expect_error.hpp"

namespace fusecheck {
namespace {

using testing::expect_error;
using ::testing::HasSubstr;

TEST(Shape, CountsElements) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({1, 64, 56, 56}), 200704);
  EXPECT_EQ(element_count({3, 0, 5}), 0);
  EXPECT_EQ(element_count({1 << 20, 1 << 20}), std::int64_t{1} << 40);
}

TEST(Shape, RefusesCountsBeyondTwoToTheForty) {
  constexpr std::int64_t huge = std::int64_t{1} << 62;
  const auto message = HasSubstr("more than 2^40 elements");
  expect_error(ErrorKind::usage, message, [] { element_count({1 << 20, 1 << 20, 2}); });
  expect_error(ErrorKind::usage, message, [] { element_count({(1 << 20) + 1, 1 << 20}); });
  // 2^62·4 wraps to 0 in 64 bits.
  expect_error(ErrorKind::usage, message, [] { element_count({huge, 4}); });
  EXPECT_EQ(element_count({huge, 4, 0}), 0);
}

TEST(Shape, RefusesNegativeDimensions) {
  expect_error(ErrorKind::usage, "shape 2x-3: dimension -3 is negative", [] { element_count({2, -3}); });
  expect_error(ErrorKind::usage, "shape 0x-3: dimension -3 is negative", [] { element_count({0, -3}); });
}

TEST(Shape, RoundTripsThroughText) {
  EXPECT_EQ(to_text({1, 64, 56, 56}), "1x64x56x56");
  EXPECT_EQ(to_text({7}), "7");
  EXPECT_EQ(to_text({}), "scalar");
  EXPECT_EQ(parse_shape("1x64x56x56"), (Shape{1, 64, 56, 56}));
  EXPECT_EQ(parse_shape("1,64,56,56"), (Shape{1, 64, 56, 56}));
  EXPECT_EQ(parse_shape("7"), (Shape{7}));
  EXPECT_EQ(parse_shape("scalar"), Shape{});
}

TEST(Shape, RefusesMalformedText) {
  expect_error(ErrorKind::usage, "shape '': '' is not an integer", [] { parse_shape(""); });
  expect_error(ErrorKind::usage, "shape '1,64,': '' is not an integer", [] { parse_shape("1,64,"); });
  expect_error(ErrorKind::usage, "shape '1x64,5': '64,5' is not an integer", [] { parse_shape("1x64,5"); });
  expect_error(ErrorKind::usage, "shape '1,6.5': '6.5' is not an integer", [] { parse_shape("1,6.5"); });
  expect_error(ErrorKind::usage, "shape '1, 6': ' 6' is not an integer", [] { parse_shape("1, 6"); });
  EXPECT_EQ(parse_shape("1,0,5"), (Shape{1, 0, 5}));
  expect_error(ErrorKind::usage, "shape '1,-2': dimension -2 is negative", [] { parse_shape("1,-2"); });
  expect_error(ErrorKind::usage, HasSubstr("outside the range of a 64-bit integer"),
               [] { parse_shape("99999999999999999999"); });
  expect_error(ErrorKind::usage, HasSubstr("more than 2^40 elements"), [] { parse_shape("1048576x1048576x2"); });
}

// 2x3x4 in row-major order: position 17 = 1·12 + 1·4 + 1.
TEST(Shape, FindsTheIndexOfAPosition) {
  EXPECT_EQ(index_of(0, {2, 3, 4}), (std::vector<std::int64_t>{0, 0, 0}));
  EXPECT_EQ(index_of(17, {2, 3, 4}), (std::vector<std::int64_t>{1, 1, 1}));
  EXPECT_EQ(index_of(23, {2, 3, 4}), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(index_of(0, {}), std::vector<std::int64_t>{});
}

// The examples of numpy's manual, "Broadcasting / General broadcasting rules".
TEST(Shape, BroadcastsAsNumpyDoes) {
  EXPECT_EQ(broadcast_shape({8, 1, 6, 1}, {7, 1, 5}), (Shape{8, 7, 6, 5}));
  EXPECT_EQ(broadcast_shape({256, 256, 3}, {3}), (Shape{256, 256, 3}));
  EXPECT_EQ(broadcast_shape({15, 3, 5}, {15, 1, 5}), (Shape{15, 3, 5}));
  EXPECT_EQ(broadcast_shape({5, 4}, {}), (Shape{5, 4}));
  expect_error(ErrorKind::usage,
               "shapes 2x1 and 8x4x3 do not broadcast: 2 against 4 on axis 1; they must be equal, or one of them 1",
               [] {
                 broadcast_shape({2, 1}, {8, 4, 3});
               });
}

}  // namespace
}  // namespace fusecheck
