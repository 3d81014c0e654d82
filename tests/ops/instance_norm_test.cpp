// instance_norm: each channel of each image by itself.
#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using ::testing::HasSubstr;
using testing::OpExample;

TEST(InstanceNorm, WorkedExample) {
  const OpExample example = {.op = "instance_norm",
                             .shapes = {{"x", {1, 1, 2}}},
                             .attrs = {{"eps", {0}}},
                             .inputs = {{"x", {1, 3}}, {"gamma", {2}}, {"beta", {1}}, {"dy", {1, 0}}}};
  expect_outputs(example, {{"y", {-1, 3}}, {"dx", {0, 0}}, {"dgamma", {-1}}, {"dbeta", {1}}});
}

TEST(InstanceNorm, RefusesOnePosition) {
  testing::expect_error(ErrorKind::usage, HasSubstr("one position is its own mean"), [] {
    context_of(OpExample{.op = "instance_norm", .shapes = {{"x", {2, 3, 1}}}, .attrs = {}, .inputs = {}});
  });
}

}  // namespace
}  // namespace fusecheck
