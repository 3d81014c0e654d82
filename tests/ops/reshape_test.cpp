// reshape: the elements of x in another shape.
#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using ::testing::HasSubstr;
using testing::OpExample;

TEST(Reshape, WorkedExample) {
  const OpExample example = {.op = "reshape",
                             .shapes = {{"x", {4}}},
                             .attrs = {{"shape", {2, -1}}},
                             .inputs = {{"x", {1, 2, 3, 4}}, {"dy", {5, 6, 7, 8}}}};
  expect_outputs(example, {{"y", {1, 2, 3, 4}}, {"dx", {5, 6, 7, 8}}});
}

TEST(Reshape, Shapes) {
  const auto shape = [](Shape x, std::vector<double> to) {
    return context_of(OpExample{.op = "reshape", .shapes = {{"x", x}}, .attrs = {{"shape", to}}, .inputs = {}})
        .shapes.at("y");
  };
  EXPECT_EQ(shape({2, 3, 4}, {-1}), (Shape{24}));
  EXPECT_EQ(shape({2, 3, 4}, {0, -1}), (Shape{2, 12}));
  EXPECT_EQ(shape({2, 3, 4}, {4, 1, 6}), (Shape{4, 1, 6}));
}

TEST(Reshape, RefusesAnotherNumberOfElements) {
  testing::expect_error(ErrorKind::usage, HasSubstr("2x3 has 6 elements, 4 has 4"), [] {
    context_of(OpExample{.op = "reshape", .shapes = {{"x", {2, 3}}}, .attrs = {{"shape", {4}}}, .inputs = {}});
  });
}

TEST(Reshape, RefusesTwoOpenNumbers) {
  testing::expect_error(ErrorKind::usage, HasSubstr("-1 may stand once"), [] {
    context_of(OpExample{.op = "reshape", .shapes = {{"x", {2, 3}}}, .attrs = {{"shape", {-1, -1}}}, .inputs = {}});
  });
}

}  // namespace
}  // namespace fusecheck
