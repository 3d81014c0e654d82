// scale: y = s·x.
#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

TEST(Scale, WorkedExample) {
  const OpExample example = {
      .op = "scale", .shapes = {{"x", {2}}}, .attrs = {{"scale", {0.5}}}, .inputs = {{"x", {2, -4}}, {"dy", {6, 8}}}};
  expect_outputs(example, {{"y", {1, -2}}, {"dx", {3, 4}}});
}

}  // namespace
}  // namespace fusecheck
