// Backwards that kernels have and that a schedule must explain, with numbers worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
// hard_swish'(z) = (2z + 3)/6, dy = 6: dbeta = 2z + 3 = 5 + 2^-10 from a z that is formed again from the stored conv,
// 5 from a stored z.
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
  EXPECT_THAT(again.sets.front().explained_by, Not(Contains("conv_stored")));
  EXPECT_NE(kernel_status(again), Status::fail);
  const CheckReport stored = check_kernel(of, {{"dbeta", vector(5)}});
  EXPECT_THAT(stored.sets.front().explained_by, Contains("conv_stored"));
  EXPECT_THAT(stored.sets.front().explained_by, Not(Contains("conv_stored_recompute")));
  EXPECT_EQ(kernel_status(check_kernel(of, {{"dbeta", vector(5 + 0x1p-9F)}})), Status::fail);
}

}  // namespace
}  // namespace fusecheck::testing
