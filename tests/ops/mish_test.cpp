// mish: y = x·tanh(softplus(x)).
#include <gtest/gtest.h>

#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using testing::OpExample;

TEST(Mish, WorkedExample) {
  const OpExample example = {.op = "mish", .shapes = {{"x", {1}}}, .attrs = {}, .inputs = {{"x", {0}}, {"dy", {5}}}};
  expect_outputs(example, {{"y", {0}}, {"dx", {3}}});
}

}  // namespace
}  // namespace fusecheck
