// Backwards that kernels have and that a schedule must explain, with numbers worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "case.hpp"

namespace fusecheck::testing {
namespace {

using ::testing::Contains;
using ::testing::Not;

Tensor tensor(DType dtype, const Shape& shape, const std::vector<float>& values) {
  return Tensor::from(dtype, shape, std::span<const float>(values));
}
Tensor vector(float value) { return tensor(DType::f32, {1}, {value}); }

Case case_of(const std::string& line, const Tensors& inputs) {
  const CaseSpec spec = parse_case(line);
  return make_case(spec, spec.data.front(), inputs);
}

// conv = 2, z = (2 - 2)·1/sqrt(0.75 + 0.25) + beta = beta = 1 + 2^-11, which f16 holds as 1 (a tie to even).
// hard_swish'(z) = (2z + 3)/6, dy = 6: dbeta = 2z + 3 = 5 + 2^-10 from a z that is formed again in f32,
// 5 from a stored z; were rstd an ULP off, z could be stored as 1 + 2^-10, and dz be 5 + 2^-9,
// next to which f16 has 5 + 2^-8.
TEST(LegalBackward, FormsBatchNormAgainFromTheStoredConvolution) {
  const Shape one = {1, 1, 1, 1};
  const Case of =
      case_of("ConvBnHardSwish/f16/x=1x1x1x1/eps=0.25,kernel=1/random", {{"x", tensor(DType::f16, one, {2})},
                                                                         {"w", tensor(DType::f16, one, {1})},
                                                                         {"dy", tensor(DType::f16, one, {6})},
                                                                         {"gamma", vector(1)},
                                                                         {"beta", vector(1 + 0x1p-11F)},
                                                                         {"mean", vector(2)},
                                                                         {"var", vector(0.75F)}});
  const CheckReport again = check_kernel(of, {{"dbeta", vector(5 + 0x1p-10F)}});
  EXPECT_THAT(again.sets.front().explained_by, Contains("conv_stored_recompute"));
  EXPECT_THAT(again.sets.front().explained_by, Contains("conv_saved_recompute"));
  EXPECT_THAT(again.sets.front().explained_by, Contains("epilogue_recompute"));
  EXPECT_THAT(again.sets.front().explained_by, Contains("fold_recompute"));
  EXPECT_THAT(again.sets.front().explained_by, Not(Contains("epilogue")));
  EXPECT_THAT(again.sets.front().explained_by, Not(Contains("conv_stored")));
  EXPECT_NE(kernel_status(again), Status::fail);
  const CheckReport stored = check_kernel(of, {{"dbeta", vector(5)}});
  EXPECT_THAT(stored.sets.front().explained_by, Contains("conv_stored"));
  EXPECT_THAT(stored.sets.front().explained_by, Not(Contains("conv_stored_recompute")));
  EXPECT_EQ(kernel_status(check_kernel(of, {{"dbeta", vector(5 + 0x1p-7F)}})), Status::fail);
}

// s = gamma = 1/3 in f32 = 11184811·2^-25, dz = dy = 1025, -1024, x = 1, 1. Then Σ dz = 1 and db = s, but a sum of
// products rounds s·1025 = 11464431275·2^-25 to a multiple of 2^10 of these units, 11464431616, and
//   11464431616 - 11184811·1024 = 11185152, 341 units (ULP) more.
// An rstd that errs (2u for the root and 2u for the quotient), gamma·rstd and the product: 6u of |s·1025| + |s·1024|
// are 8,200 units, 8u·S of the sum 11,000 more.
// dw = s·Σ dz·x = 1/3; were dconv stored in f16, 341.75 and -341.25, it would be 1/2. So one kernel has both.
TEST(LegalBackward, AddsUpTheProductsOfDb) {
  const Shape two = {1, 1, 1, 2}, one = {1, 1, 1, 1};
  const Case of =
      case_of("ConvBn/f16/x=1x1x1x2/bias,eps=0.25,kernel=1/random", {{"x", tensor(DType::f16, two, {1, 1})},
                                                                     {"w", tensor(DType::f16, one, {1})},
                                                                     {"dy", tensor(DType::f16, two, {1025, -1024})},
                                                                     {"b", vector(0)},
                                                                     {"gamma", vector(1.0F / 3)},
                                                                     {"beta", vector(1)},
                                                                     {"mean", vector(2)},
                                                                     {"var", vector(0.75F)}});
  const Tensor dw = tensor(DType::f16, one, {1.0F / 3});
  const auto with_db = [&](double units) {
    return check_kernel(of, {{"dw", dw}, {"db", vector(static_cast<float>(std::ldexp(units, -25)))}});
  };
  EXPECT_THAT(with_db(11185152).sets.front().explained_by, Contains("epilogue"));
  EXPECT_THAT(with_db(11184811).sets.front().explained_by, Contains("epilogue"));
  EXPECT_EQ(kernel_status(with_db(11220000)), Status::fail);
}

}  // namespace
}  // namespace fusecheck::testing
