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

// What the branches of a concat add to dx: x = 1 and dy = 1, 1x1 kernels, so that w are the branches' gradients.
// With 1, 2^-11, 2^-11: at once 1 + 2^-10, an f16; from the first to the last 1 + 2^-11 is a tie and goes to 1, twice.
// With 2^-11, 2^-11, 1 it is the other way round.
CheckReport concat_report(const std::vector<float>& w, float dx) {
  const Shape one = {1, 1, 1, 1};
  const Case of = case_of("FusedConvConcat/f16/x=1x1x1x1/kernel=1,kernel2=1,kernel3=1/random",
                          {{"x", tensor(DType::f16, one, {1})},
                           {"w1", tensor(DType::f16, one, {w[0]})},
                           {"w2", tensor(DType::f16, one, {w[1]})},
                           {"w3", tensor(DType::f16, one, {w[2]})},
                           {"dy", tensor(DType::f16, {1, 3, 1, 1}, {1, 1, 1})}});
  return check_kernel(of, {{"dx", tensor(DType::f16, one, {dx})}});
}

TEST(LegalBackward, AddsTheBranchesOfAConcatInEitherDirection) {
  const std::vector<float> large_first = {1, 0x1p-11F, 0x1p-11F}, large_last = {0x1p-11F, 0x1p-11F, 1};
  const auto explained = [](const CheckReport& report) { return report.sets.front().explained_by; };
  EXPECT_THAT(explained(concat_report(large_first, 1)), Contains("accumulated"));
  EXPECT_THAT(explained(concat_report(large_first, 1)), Contains("separate_reversed"));
  EXPECT_THAT(explained(concat_report(large_first, 1)), Not(Contains("accumulated_reversed")));
  EXPECT_THAT(explained(concat_report(large_last, 1)), Contains("accumulated_reversed"));
  EXPECT_THAT(explained(concat_report(large_last, 1)), Contains("separate"));
  EXPECT_THAT(explained(concat_report(large_last, 1)), Not(Contains("accumulated")));
  EXPECT_EQ(kernel_status(concat_report(large_last, 1 + 0x1p-9F)), Status::fail);
}

// dx1 = 2^-11, dx2 = 1 + 2^-11 by two output channels, dx3 = 2^-11. In f32 the sum is 1 + 1.5·2^-10, a tie that goes to
// 1 + 2^-9; accumulated in f16 it is that tie, too, after 1 + 2^-10. Stored first dx2 is 1: one after another each
// 2^-11 is lost, at once they are 1 + 2^-10.
TEST(LegalBackward, AddsTheStoredGradientsOfBranchesAtOnce) {
  const Shape one = {1, 1, 1, 1};
  const Case of = case_of("FusedConvConcat/f16/x=1x1x1x1/kernel=1,kernel2=1,kernel3=1,oc2=2/random",
                          {{"x", tensor(DType::f16, one, {1})},
                           {"w1", tensor(DType::f16, one, {0x1p-11F})},
                           {"w2", tensor(DType::f16, {2, 1, 1, 1}, {1, 0x1p-11F})},
                           {"w3", tensor(DType::f16, one, {0x1p-11F})},
                           {"dy", tensor(DType::f16, {1, 4, 1, 1}, {1, 1, 1, 1})}});
  const CheckReport report = check_kernel(of, {{"dx", tensor(DType::f16, one, {1 + 0x1p-10F})}});
  EXPECT_EQ(report.sets.front().explained_by, std::vector<std::string>{"add_n"});
}

// relu(bn(conv)) twice, 1x1, rstd = 1, means and betas 0. Folded, W1' = 1.5·(1 + 3·2^-10) = 1540.5·2^-10 is a tie and
// goes to 1540·2^-10; z1 = 5·1540·2^-10 = 1925·2^-8, an f16. Unfolded 5·1540.5·2^-10 = 1925.6·2^-8 -> 1926·2^-8, and
// with a stored convolution 5·1027·2^-10 = 1283.75·2^-8 -> 1284·2^-8, times 1.5 = 1926·2^-8.
Case pair_of_convolutions(float x, float w1, float gamma1, float w2, float gamma2) {
  const Shape one = {1, 1, 1, 1};
  return case_of("ConvBnReluConvBnRelu/f16/x=1x1x1x1/eps=0.25,kernel=1,kernel2=1/random",
                 {{"x", tensor(DType::f16, one, {x})},
                  {"w1", tensor(DType::f16, one, {w1})},
                  {"w2", tensor(DType::f16, one, {w2})},
                  {"dy", tensor(DType::f16, one, {1})},
                  {"gamma1", vector(gamma1)},
                  {"gamma2", vector(gamma2)},
                  {"beta1", vector(0)},
                  {"beta2", vector(0)},
                  {"mean1", vector(0)},
                  {"mean2", vector(0)},
                  {"var1", vector(0.75F)},
                  {"var2", vector(0.75F)}});
}

TEST(LegalBackward, AForwardMayFoldBothBatchNorms) {
  const Case of = pair_of_convolutions(5, 1 + 3 * 0x1p-10F, 1.5F, 1, 1);
  const Shape one = {1, 1, 1, 1};
  const CheckReport folded = check_kernel(of, {{"y", tensor(DType::f16, one, {1925 * 0x1p-8F})}});
  EXPECT_EQ(folded.sets.front().explained_by, std::vector<std::string>{"fold"});
  EXPECT_THAT(check_kernel(of, {{"y", tensor(DType::f16, one, {1926 * 0x1p-8F})}}).sets.front().explained_by,
              Not(Contains("fold")));
  EXPECT_EQ(kernel_status(check_kernel(of, {{"y", tensor(DType::f16, one, {1927 * 0x1p-8F})}})), Status::fail);
}

// s1 = gamma1 = 1 + 2^-11, w1 = 1.5: W1' = 1.5 + 0.75·2^-10 goes to 1.5 + 2^-10 in f16, and dx = W1'. Unfolded, dconv =
// s1 is a tie, goes to 1, and dx = w1. y = 5·W1' = 7.5 + 1.25·2^-8 or 5·w1·s1 = 7.5 + 0.94·2^-8: 7.5 + 2^-8 either way.
TEST(LegalBackward, ABackwardMayReadFoldedWeights) {
  const Case of = pair_of_convolutions(5, 1.5F, 1 + 0x1p-11F, 1, 1);
  const Shape one = {1, 1, 1, 1};
  const auto explained = [&](float dx) {
    const Tensors outputs = {{"y", tensor(DType::f16, one, {7.5F + 0x1p-8F})}, {"dx", tensor(DType::f16, one, {dx})}};
    return check_kernel(of, outputs).sets.front().explained_by;
  };
  EXPECT_EQ(explained(1.5F + 0x1p-10F), std::vector<std::string>{"fold"});
  EXPECT_THAT(explained(1.5F), Contains("epilogue"));
  EXPECT_THAT(explained(1.5F), Not(Contains("fold")));
}

// mid = 3, w2 = 1 + 2^-10, gamma2 = 1 + 2^-11 + 2^-13. y from the accumulator: 3·w2·gamma2 = 3.00476, nearest multiple
// of 2^-9: 1538 of them; from a stored convolution, 3·w2 = 1537.5·2^-9 -> 1538·2^-9, times gamma2 = 1538.94: 1539.
// dconv = gamma2 stored is 1 + 2^-10: dw2 = 3·(1 + 2^-10) = 1537.5·2^-9 -> 1538; not stored 3·gamma2 = 1536.9: 1537.
// So one kernel has y = 1538 and dw2 = 1538.
TEST(LegalBackward, APairOfConvolutionsMayStoreDconv) {
  const Case of = pair_of_convolutions(3, 1, 1, 1 + 0x1p-10F, 1 + 0x1p-11F + 0x1p-13F);
  const Shape one = {1, 1, 1, 1};
  const auto report = [&](float y, float dw2) {
    return check_kernel(
        of, {{"y", tensor(DType::f16, one, {y * 0x1p-9F})}, {"dw2", tensor(DType::f16, one, {dw2 * 0x1p-9F})}});
  };
  EXPECT_EQ(report(1538, 1538).sets.front().explained_by, std::vector<std::string>{"dconv_stored"});
  EXPECT_THAT(report(1538, 1537).sets.front().explained_by, Contains("epilogue"));
  EXPECT_THAT(report(1539, 1538).sets.front().explained_by, Contains("unfused"));
  EXPECT_EQ(kernel_status(report(1540, 1538)), Status::fail);
}

// x = 5, -12, 7: Σx/3 is 0. With 1/3 = 11184811·2^-25 in f32 the products round to 55924056, -134217728 and 78293680
// times 2^-25, which add up to 8·2^-25. The limit: 3u·8 for the sum of terms of size 8, u·8 for the products and u·8
// for 1/3, below 6u·8 = 2^-19.4.
TEST(LegalForward, AMeanMayAddUpSharesOfTheTerms) {
  const Shape row = {1, 1, 1, 3}, one = {1, 1, 1, 1};
  const Tensors given = {{"x", tensor(DType::f32, row, {5, -12, 7})}};
  const auto judged = [&](const Case& of, const Shape& shape, float y) {
    return kernel_status(check_kernel(of, {{"y", tensor(DType::f32, shape, {y})}}));
  };
  for (const char* line : {"global_avg_pool/f32/x=1x1x1x3/random/fwd", "reduce_mean/f32/x=1x1x1x3/random/fwd",
                           "avg_pool/f32/x=1x1x1x3/kernel=1x3/random/fwd"}) {
    const Case of = case_of(line, given);
    EXPECT_NE(judged(of, one, 0x1p-22F), Status::fail) << line;
    EXPECT_EQ(judged(of, one, 0x1p-18F), Status::fail) << line;
  }
}

// The same numbers as a batch: the mean of one channel, a tenth of which is the running mean from 0 on.
TEST(LegalForward, SoMayTheMeanOfABatch) {
  const Case of = case_of("batch_norm/f32/x=3x1/bn=train/random/fwd", {{"x", tensor(DType::f32, {3, 1}, {5, -12, 7})},
                                                                       {"gamma", vector(1)},
                                                                       {"beta", vector(0)},
                                                                       {"mean", vector(0)},
                                                                       {"var", vector(1)}});
  EXPECT_NE(kernel_status(check_kernel(of, {{"running_mean", vector(0.1F * 0x1p-22F)}})), Status::fail);
  EXPECT_EQ(kernel_status(check_kernel(of, {{"running_mean", vector(0.1F * 0x1p-18F)}})), Status::fail);
}

// b = 2^-10, a/b = 2^-130, dy = 1 + 2^-20: dy·(a/b) = 2^-130 + 2^-150 lies halfway between subnormals and goes to
// 2^-130, so db = -2^-120; by way of da = dy/b it is -(2^-120 + 2^-140).
TEST(LegalBackward, AQuotientMayLoseSubnormalsOnTheWay) {
  const Case of = case_of("div/f32/a=1,b=1/random",
                          {{"a", vector(0x1p-140F)}, {"b", vector(0x1p-10F)}, {"dy", vector(1 + 0x1p-20F)}});
  EXPECT_NE(kernel_status(check_kernel(of, {{"db", vector(-0x1p-120F)}})), Status::fail);
  EXPECT_NE(kernel_status(check_kernel(of, {{"db", vector(-0x1p-120F - 0x1p-140F)}})), Status::fail);
  EXPECT_EQ(kernel_status(check_kernel(of, {{"db", vector(-0x1p-120F - 0x1p-130F)}})), Status::fail);
}

// a = b = 2, dy = 4: half to each or all to a are conventions; all to both counts dy twice.
TEST(LegalBackward, GivesTheGradientOfATieByEitherConvention) {
  const auto status = [](const std::string& attrs, float da, float db) {
    const Tensor two = vector(2);
    const Case of = case_of("max/f32/a=1,b=1/" + attrs + "random", {{"a", two}, {"b", two}, {"dy", vector(4)}});
    return kernel_status(check_kernel(of, {{"da", vector(da)}, {"db", vector(db)}}));
  };
  EXPECT_NE(status("", 2, 2), Status::fail);
  EXPECT_NE(status("", 4, 0), Status::fail);
  EXPECT_EQ(status("", 4, 4), Status::fail);
  EXPECT_EQ(status("", 0, 4), Status::fail);
  EXPECT_EQ(status("ties=1/", 4, 0), Status::fail);
  EXPECT_EQ(status("ties=2/", 2, 2), Status::fail);
}

}  // namespace
}  // namespace fusecheck::testing
