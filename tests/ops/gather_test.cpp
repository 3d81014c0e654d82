// gather: the entries of x at an index.
#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using ::testing::HasSubstr;
using testing::OpExample;

TEST(Gather, WorkedExample) {
  const OpExample example = {.op = "gather",
                             .shapes = {{"x", {3, 2}}, {"index", {3}}},
                             .attrs = {},
                             .inputs = {{"x", {1, 2, 3, 4, 5, 6}}, {"index", {2, 0, 2}}, {"dy", {1, 1, 2, 2, 4, 4}}}};
  expect_outputs(example, {{"y", {5, 6, 1, 2, 5, 6}}, {"dx", {2, 2, 0, 0, 5, 5}}});
}

TEST(Gather, AlongTheLastAxis) {
  const OpExample example = {.op = "gather",
                             .shapes = {{"x", {2, 2}}, {"index", {1}}},
                             .attrs = {{"axis", {-1}}},
                             .inputs = {{"x", {1, 2, 3, 4}}, {"index", {1}}, {"dy", {5, 6}}}};
  expect_outputs(example, {{"y", {2, 4}}, {"dx", {0, 5, 0, 6}}});
}

TEST(Gather, RefusesAPositionThatIsNotThere) {
  for (const double position : {-1.0, 3.0}) {
    OpExample example = {
        .op = "gather", .shapes = {{"x", {3}}, {"index", {1}}}, .attrs = {}, .inputs = {{"x", {1, 2, 3}}, {"dy", {1}}}};
    example.inputs["index"] = {position};
    testing::expect_error(ErrorKind::usage, HasSubstr("is outside [0, 3), the length of axis 0"),
                          [&] { body_outputs(example); });
  }
}

// Off by one at either end, a padding index, a gradient that overwrites or that adds in 16 bits: each needs positions
// that a draw of 128 among 1,000 seldom has. An index of one element points at the upper end.
TEST(Gather, DrawsBothEndsAndOnePositionThreeTimes) {
  for (const DataSet set : {DataSet::exact, DataSet::random, DataSet::stress}) {
    const std::vector<double> index = testing::drawn("gather/f16/index=128,x=1000x64/exact", set).at("index").doubles();
    EXPECT_EQ(index[0], 999);
    EXPECT_EQ(index[1], 0);
    EXPECT_EQ(index[126], 999);
    EXPECT_EQ(index[127], 999);
    EXPECT_EQ(testing::drawn("gather/f16/index=1,x=5x2/exact", set).at("index").doubles()[0], 4);
  }
}

}  // namespace
}  // namespace fusecheck
