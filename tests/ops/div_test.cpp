#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

TEST(Div, WorkedExample) {
  const OpExample example = {
      .op = "div", .shapes = {{"a", {2}}}, .attrs = {}, .inputs = {{"a", {6, 8}}, {"b", {2, 4}}, {"dy", {4, 8}}}};
  expect_outputs(example, {{"y", {3, 2}}, {"da", {2, 2}}, {"db", {-6, -4}}});
}

}  // namespace
}  // namespace fusecheck
