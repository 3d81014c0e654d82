// MatMulBias: y = x·w + b.
#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/op_run.hpp"

namespace fusecheck {
namespace {

using testing::expect_outputs;
using ::testing::HasSubstr;
using testing::OpExample;

OpExample example(const std::string& op, std::vector<double> b, std::vector<double> dy) {
  return {.op = op,
          .shapes = {{"x", {1, 2}}, {"w", {2, 2}}},
          .attrs = {},
          .inputs = {{"x", {1, 2}}, {"w", {3, -1, 0, 1}}, {"b", std::move(b)}, {"dy", std::move(dy)}}};
}

// z = [3 + 1, -1 + 2 + 2].  dx = [3 - (-1)·(-1), 0 - 1]: row i of w times dy.
TEST(MatMulBias, WorkedExample) {
  expect_outputs(example("MatMulBias", {1, 2}, {1, -1}),
                 {{"y", {4, 3}}, {"dx", {4, -1}}, {"dw", {1, -1, 2, -2}}, {"db", {1, -1}}});
}

// A bias per column, not per row: y[i][j] = b[j]; db[j] = Σ_i dy[i][j]. m = n, where the two are easily mistaken.
TEST(MatMulBias, TheBiasIsOfTheColumn) {
  expect_outputs({.op = "MatMulBias",
                  .shapes = {{"x", {2, 1}}, {"w", {1, 2}}},
                  .attrs = {},
                  .inputs = {{"x", {0, 0}}, {"w", {1, 1}}, {"b", {7, 8}}, {"dy", {1, 2, 4, 8}}}},
                 {{"y", {7, 8, 7, 8}}, {"db", {5, 10}}, {"dx", {3, 12}}, {"dw", {0, 0}}});
}

TEST(MatMulBias, RefusesABiasOfAnotherLength) {
  testing::expect_error(ErrorKind::usage, HasSubstr("b has shape 3, expected 2"), [] {
    testing::context_of(
        {.op = "MatMulBias", .shapes = {{"x", {1, 2}}, {"w", {2, 2}}, {"b", {3}}}, .attrs = {}, .inputs = {}});
  });
}

}  // namespace
}  // namespace fusecheck
