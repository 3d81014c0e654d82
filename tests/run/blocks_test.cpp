// Runs over broadcast operands against numpy's rule, written as an index formula.
#include "run/blocks.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace fusecheck::run {
namespace {

// The position in an operand of `shape` that the index of `out` reads.
std::int64_t position(const Shape& shape, const Shape& out, std::int64_t at) {
  std::int64_t result = 0, stride = 1;
  for (std::size_t axis = out.size(), own = shape.size(); axis-- > 0;) {
    const std::int64_t index = at % out[axis];
    at /= out[axis];
    if (own == 0) continue;
    --own;
    if (shape[own] != 1) result += index * stride;
    stride *= shape[own];
  }
  return result;
}

void expect_numpy(const Shape& a, const Shape& b) {
  const Shape out = broadcast_shape(a, b);
  const Blocks blocks = blocks_of(a, b, out);
  std::int64_t seen = 0;
  for_each_run(blocks, [&](std::int64_t left, std::int64_t right, std::int64_t at) {
    for (std::int64_t i = 0; i < blocks.length; ++i, ++seen) {
      EXPECT_EQ(at + i, seen);
      EXPECT_EQ(left + (blocks.operands == engine::Operands::right ? 0 : i), position(a, out, seen));
      EXPECT_EQ(right + (blocks.operands == engine::Operands::left ? 0 : i), position(b, out, seen));
    }
  });
  EXPECT_EQ(seen, element_count(out)) << to_text(a) << " " << to_text(b);
}

TEST(Blocks, ReadWhatNumpyReads) {
  expect_numpy({2, 3, 4, 5}, {2, 3, 4, 5});
  expect_numpy({2, 3, 4, 5}, {1, 3, 1, 1});
  expect_numpy({1, 3, 1, 1}, {2, 3, 4, 5});
  expect_numpy({2, 3, 4, 5}, {5});
  expect_numpy({2, 3, 4, 5}, {});
  expect_numpy({}, {2, 3});
  expect_numpy({}, {});
  expect_numpy({4, 1}, {1, 5});
  expect_numpy({3, 1, 5}, {2, 1});
  expect_numpy({7, 1, 5}, {7, 6, 1});
  expect_numpy({1, 1, 1}, {1, 1});
  expect_numpy({0, 3}, {1, 3});
  expect_numpy({2, 1, 3}, {2, 0, 3});
}

// A channel vector over 4x5 planes: six runs of twenty, the vector's element constant in each.
TEST(Blocks, TakeOnePlaneAtATime) {
  const Blocks blocks = blocks_of({2, 3, 4, 5}, {1, 3, 1, 1}, {2, 3, 4, 5});
  EXPECT_EQ(blocks.length, 20);
  EXPECT_EQ(blocks.operands, engine::Operands::left);
  EXPECT_EQ(blocks.right, (std::vector<std::int64_t>{0, 1, 2, 0, 1, 2}));
}

}  // namespace
}  // namespace fusecheck::run
