// Named standards at their edges. Every number is the standard's own, worked out beside the assertion.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "expected.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck {
namespace {

using ::testing::HasSubstr;
using testing::within;

constexpr double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

Judgement apply(std::string_view tolerance, DType dtype, const std::vector<double>& truth,
                const std::vector<double>& actual, std::span<const double> third = {}) {
  const Expected expected = within({std::ssize(truth)}, dtype, truth, 0);
  return judge(expected, actual, {.tolerance = parse_tolerance(tolerance), .third_party = third});
}

Status status_of(std::string_view tolerance, DType dtype, double truth, double actual) {
  return apply(tolerance, dtype, {truth}, {actual}).status;
}

// n elements of `truth`, of which `count` are `wrong`.
Status with_some(std::string_view tolerance, DType dtype, std::size_t n, std::size_t count, double truth,
                 double wrong) {
  std::vector<double> actual(n, truth);
  std::fill_n(actual.begin(), count, wrong);
  return apply(tolerance, dtype, std::vector<double>(n, truth), actual).status;
}

TEST(Exact, ZerosAreOneValueAndNaNMeetsNaN) {
  EXPECT_EQ(status_of("exact", DType::f32, 0, -0.0), Status::pass);
  EXPECT_EQ(status_of("exact", DType::f32, nan, nan), Status::pass);
  EXPECT_EQ(status_of("exact", DType::f32, 1, 1 + 0x1p-23), Status::fail);
  EXPECT_EQ(status_of("exact", DType::f32, inf, -inf), Status::fail);
  EXPECT_EQ(status_of("exact", DType::f32, 1, nan), Status::fail);
}

TEST(Ulp, CountsRepresentableValues) {
  EXPECT_EQ(status_of("ulp:4", DType::f32, 1, 1 + 4 * 0x1p-23), Status::pass);
  EXPECT_EQ(status_of("ulp:4", DType::f32, 1, 1 + 5 * 0x1p-23), Status::fail);
  EXPECT_EQ(status_of("ulp:4", DType::f32, 1, 1 - 4 * 0x1p-24), Status::pass);
  EXPECT_EQ(status_of("ulp:2", DType::f16, 0x1p-24, -0x1p-24), Status::pass);
  EXPECT_EQ(status_of("ulp:1", DType::f16, 0x1p-24, -0x1p-24), Status::fail);
  EXPECT_EQ(status_of("ulp:9", DType::f32, inf, 3.0), Status::fail);
}

TEST(Mixed, IsNumpysIsclose) {
  // 0.25 + 0.125·8 = 1.25.
  EXPECT_EQ(status_of("mixed:0.125,0.25", DType::f32, 8, 9.25), Status::pass);
  EXPECT_EQ(status_of("mixed:0.125,0.25", DType::f32, 8, 9.25 + 0x1p-20), Status::fail);
  EXPECT_EQ(status_of("mixed:0.125,0.25", DType::f32, -8, -9.25), Status::pass);
  EXPECT_EQ(status_of("mixed:1,1", DType::f32, inf, 3), Status::fail);
  EXPECT_EQ(status_of("mixed:1,1", DType::f32, 3, inf), Status::fail);
  EXPECT_EQ(status_of("mixed:1,1", DType::f32, inf, inf), Status::pass);
  EXPECT_EQ(status_of("mixed:1,1", DType::f32, nan, nan), Status::pass);
  // smallest_atol is the atol that passes with rtol 0, and nothing less does.
  EXPECT_EQ(apply("mixed:0,0", DType::f32, {8, 8}, {8.5, 9.25}).smallest_atol, 1.25);
  EXPECT_EQ(apply("mixed:0,1.25", DType::f32, {8, 8}, {8.5, 9.25}).status, Status::pass);
  EXPECT_EQ(apply("mixed:0,1.2499", DType::f32, {8, 8}, {8.5, 9.25}).bad, 1);
}

TEST(CannMixed, NinetyNinePercentInsideIsEnough) {
  // f16: 2^-9 + 2^-9·1 = 2^-8 at truth 1; 1 + 2^-8 is inside, 1 + 2^-8 + 2^-10 is not. 100 elements: 1 may be outside.
  constexpr std::string_view tol = "cann-mixed-2026-07";
  EXPECT_EQ(with_some(tol, DType::f16, 100, 100, 1, 1 + 0x1p-8), Status::pass);
  EXPECT_EQ(with_some(tol, DType::f16, 100, 1, 1, 1 + 0x1p-8 + 0x1p-10), Status::pass);
  EXPECT_EQ(with_some(tol, DType::f16, 100, 2, 1, 1 + 0x1p-8 + 0x1p-10), Status::fail);
  EXPECT_EQ(with_some(tol, DType::f16, 99, 1, 1, 1 + 0x1p-8 + 0x1p-10), Status::fail);
  // bf16: 2^-6 + 2^-6 = 2^-5, ulp 2^-7. f32: 2^-16 + 2^-10.
  EXPECT_EQ(with_some(tol, DType::bf16, 1, 1, 1, 1 + 0x1p-5), Status::pass);
  EXPECT_EQ(with_some(tol, DType::bf16, 1, 1, 1, 1 + 0x1p-5 + 0x1p-7), Status::fail);
  EXPECT_EQ(with_some(tol, DType::f32, 1, 1, 1, 1 + 0x1p-10 + 0x1p-16), Status::pass);
  EXPECT_EQ(with_some(tol, DType::f32, 1, 1, 1, 1 + 0x1p-10 + 0x1p-16 + 0x1p-23), Status::fail);
}

TEST(CannMixed, TheOnePercentHasALimitToo) {
  // f16 at 1: 0.1 allowed; 32 ULP are 0.03125, so the absolute limit is the wider one there.
  constexpr std::string_view tol = "cann-mixed-2026-07";
  EXPECT_EQ(with_some(tol, DType::f16, 100, 1, 1, 1 + 102 * 0x1p-10), Status::pass);  // 0.0996
  EXPECT_EQ(with_some(tol, DType::f16, 100, 1, 1, 1 + 103 * 0x1p-10), Status::fail);  // 0.1006
  // At 1,024 the ulp is 1: 32 are allowed, 33 are not.
  EXPECT_EQ(with_some(tol, DType::f16, 100, 1, 1024, 1056), Status::pass);
  EXPECT_EQ(with_some(tol, DType::f16, 100, 1, 1024, 1057), Status::fail);
  EXPECT_EQ(with_some(tol, DType::f16, 1000, 1, 1, nan), Status::fail);
  EXPECT_EQ(with_some(tol, DType::f16, 1000, 1, inf, 65504), Status::fail);
  EXPECT_EQ(with_some(tol, DType::f16, 10, 10, nan, nan), Status::pass);
  EXPECT_EQ(with_some(tol, DType::i32, 100, 1, 5, 6), Status::fail);
}

TEST(CannMereMare, MeanAndMaximumOfTheRelativeError) {
  // f16: T = 2^-10. At 1,024 one ulp is 1/1024 · 1/(1 + 1e-10) < T relative; all one ulp off: the mean is just under T.
  constexpr std::string_view tol = "cann-mere-mare-2026-04";
  EXPECT_EQ(with_some(tol, DType::f16, 10, 10, 1024, 1025), Status::pass);
  EXPECT_EQ(with_some(tol, DType::f16, 10, 10, 1024, 1026), Status::fail);  // mean 2 T
  // MARE: 10 ulp at 1,024 are just under 10 T, 11 are over it; the mean over 100 stays under T.
  EXPECT_EQ(with_some(tol, DType::f16, 100, 1, 1024, 1034), Status::pass);
  EXPECT_EQ(with_some(tol, DType::f16, 100, 1, 1024, 1035), Status::fail);
  // At truth 0 the denominator is 1e-7: 2^-24 = 6e-8 gives 0.6, far over 10 T = 0.0098.
  EXPECT_EQ(with_some(tol, DType::f16, 100, 1, 0, 0x1p-24), Status::fail);
  EXPECT_EQ(with_some(tol, DType::f16, 100, 1, 1, nan), Status::fail);
  // f32: T = 2^-13, at 2 a step of 2^-13·1.5 is 0.75 T; bf16: T = 2^-7, one ulp at 128 is 2^-7/(1 + ...).
  EXPECT_EQ(with_some(tol, DType::f32, 10, 10, 2, 2 + 0x1.8p-13), Status::pass);
  EXPECT_EQ(with_some(tol, DType::f32, 10, 10, 2, 2 + 0x1.1p-12), Status::fail);
  EXPECT_EQ(with_some(tol, DType::bf16, 10, 10, 128, 129), Status::pass);
  EXPECT_EQ(with_some(tol, DType::bf16, 10, 10, 128, 130), Status::fail);
}

TEST(AscendcSample, OneInAThousandOrTenThousand) {
  // f16: 1e-3 + 1e-3·1 = 2.0e-3 at 1: 2 ulp = 0.00195 inside, 3 outside.
  constexpr std::string_view tol = "ascendc-sample";
  EXPECT_EQ(with_some(tol, DType::f16, 10, 10, 1, 1 + 2 * 0x1p-10), Status::pass);
  EXPECT_EQ(with_some(tol, DType::f16, 1000, 1, 1, 1 + 3 * 0x1p-10), Status::pass);
  EXPECT_EQ(with_some(tol, DType::f16, 1000, 2, 1, 1 + 3 * 0x1p-10), Status::fail);
  EXPECT_EQ(with_some(tol, DType::f16, 999, 1, 1, 1 + 3 * 0x1p-10), Status::fail);
  // f32: 1e-6 + 1e-9 = 1.001e-6 at 1: 8 ulp = 9.54e-7 inside, 9 = 1.07e-6 outside.
  EXPECT_EQ(with_some(tol, DType::f32, 10, 10, 1, 1 + 8 * 0x1p-23), Status::pass);
  EXPECT_EQ(with_some(tol, DType::f32, 10'000, 1, 1, 1 + 9 * 0x1p-23), Status::pass);
  EXPECT_EQ(with_some(tol, DType::f32, 10'000, 2, 1, 1 + 9 * 0x1p-23), Status::fail);
}

TEST(Msprobe, CosineThenMaximumThenShare) {
  constexpr std::string_view tol = "msprobe";
  // f16: relative 1e-2 on over 99 %: at 1, 10 ulp = 0.00977 is inside, 11 = 0.01074 is outside. 1 of 100 is not over 99
  // %.
  EXPECT_EQ(with_some(tol, DType::f16, 100, 100, 1, 1 + 10 * 0x1p-10), Status::pass);
  EXPECT_EQ(with_some(tol, DType::f16, 101, 1, 1, 1 + 11 * 0x1p-10), Status::pass);
  EXPECT_EQ(with_some(tol, DType::f16, 100, 1, 1, 1 + 11 * 0x1p-10), Status::fail);
  // f32: relative 1e-3 on over 99.9 %.
  EXPECT_EQ(with_some(tol, DType::f32, 1001, 1, 1, 1.125), Status::pass);
  EXPECT_EQ(with_some(tol, DType::f32, 1000, 1, 1, 1.125), Status::fail);
  // All errors under 0.001: passes whatever the relative error, if the direction is right.
  EXPECT_EQ(with_some(tol, DType::f32, 4, 4, 0x1p-10, 0x1.8p-10), Status::pass);
  // (1, 0) against (0, 1): cosine 0. (100, 15) against (100, 0): 1/sqrt(1 + 0.0225) = 0.98894, not over 0.99.
  EXPECT_EQ(apply(tol, DType::f32, {0x1p-12, 0}, {0, 0x1p-12}).status, Status::fail);
  EXPECT_THAT(apply(tol, DType::f32, {100, 0}, {100, 15}).reason, HasSubstr("cosine"));
  EXPECT_EQ(with_some(tol, DType::f32, 4, 4, 0x1p-12, 0), Status::fail);
  EXPECT_EQ(with_some(tol, DType::f32, 4, 4, 0, 0), Status::pass);
  EXPECT_EQ(with_some(tol, DType::f32, 10'000, 1, 1, nan), Status::fail);
}

TEST(Torch, AssertCloseDefaults) {
  // f32: 1e-5 + 1.3e-6 = 1.13e-5 at 1: 94 ulp = 1.1206e-5 inside, 95 = 1.1325e-5 outside.
  EXPECT_EQ(status_of("torch", DType::f32, 1, 1 + 94 * 0x1p-23), Status::pass);
  EXPECT_EQ(status_of("torch", DType::f32, 1, 1 + 95 * 0x1p-23), Status::fail);
  // f16: 1e-5 + 1e-3 = 1.01e-3 at 1: 1 ulp = 9.77e-4. bf16: 1e-5 + 1.6e-2: 2 ulp = 0.015625.
  EXPECT_EQ(status_of("torch", DType::f16, 1, 1 + 0x1p-10), Status::pass);
  EXPECT_EQ(status_of("torch", DType::f16, 1, 1 + 2 * 0x1p-10), Status::fail);
  EXPECT_EQ(status_of("torch", DType::bf16, 1, 1 + 2 * 0x1p-7), Status::pass);
  EXPECT_EQ(status_of("torch", DType::bf16, 1, 1 + 3 * 0x1p-7), Status::fail);
  // f64: 1e-7 + 1e-7.
  EXPECT_EQ(status_of("torch", DType::f64, 1, 1 + 1.9e-7), Status::pass);
  EXPECT_EQ(status_of("torch", DType::f64, 1, 1 + 2.1e-7), Status::fail);
  // equal_nan is False by default.
  EXPECT_EQ(status_of("torch", DType::f32, nan, nan), Status::fail);
  EXPECT_EQ(status_of("torch", DType::f32, inf, inf), Status::pass);
  EXPECT_EQ(status_of("torch", DType::i32, 1000, 1001), Status::fail);
}

TEST(Benchdnn, RelativeAboveAndAbsoluteBelowOneHundredThousandth) {
  // f32: 6e-7: 5 ulp at 1 = 5.96e-7 inside, 6 outside. f16: 6e-7·2^13 = 4.915e-3: 5 ulp = 4.883e-3. bf16: 6e-7·2^16 =
  // 3.93e-2: 5 ulp = 3.906e-2.
  EXPECT_EQ(status_of("benchdnn", DType::f32, 1, 1 + 5 * 0x1p-23), Status::pass);
  EXPECT_EQ(status_of("benchdnn", DType::f32, 1, 1 + 6 * 0x1p-23), Status::fail);
  EXPECT_EQ(status_of("benchdnn", DType::f16, 1, 1 + 5 * 0x1p-10), Status::pass);
  EXPECT_EQ(status_of("benchdnn", DType::f16, 1, 1 + 6 * 0x1p-10), Status::fail);
  EXPECT_EQ(status_of("benchdnn", DType::bf16, 1, 1 + 5 * 0x1p-7), Status::pass);
  EXPECT_EQ(status_of("benchdnn", DType::bf16, 1, 1 + 6 * 0x1p-7), Status::fail);
  // 2^-20 < 1e-5: absolute, so twice as much is inside 6e-7? No: 2^-20 = 9.5e-7 off is outside, 2^-21 off inside.
  EXPECT_EQ(status_of("benchdnn", DType::f32, 0x1p-20, 0x1p-19), Status::fail);
  EXPECT_EQ(status_of("benchdnn", DType::f32, 0x1p-20, 0x1.8p-20), Status::pass);
  EXPECT_EQ(status_of("benchdnn", DType::f32, nan, nan), Status::pass);
  EXPECT_EQ(status_of("benchdnn", DType::f32, inf, -inf), Status::fail);
}

TEST(CannCross, WithoutAThirdImplementationThereIsNoVerdict) {
  const Judgement j = apply("cann-cross-l1", DType::f16, {1, 2}, {1, 2});
  EXPECT_EQ(j.status, Status::error);
  EXPECT_THAT(j.reason, HasSubstr("third implementation"));
  for (const auto& [name, passed] : j.standards) EXPECT_THAT(name, ::testing::Not(HasSubstr("cross")));
}

TEST(CannCross, RatiosToTheThirdImplementation) {
  // f16, S = 2^-11. Truth 1,024 (1e-7 in the denominator is nothing): the third is one ulp off, 2^-10 relative, in each
  // of 2 elements. L1 allows 5 times the maximum and 1.5 times the mean and RMS.
  const std::vector<double> truth(10, 1024.0), third(10, 1025.0);
  std::vector<double> actual = third;
  EXPECT_EQ(apply("cann-cross-l2", DType::f16, truth, actual, third).status, Status::pass);
  // One of ten is 2 ulp off: max ratio 2, mean 1.1, RMS sqrt(1.3) = 1.140: inside L2 (2, 1.2, 1.2).
  actual[0] = 1026;
  EXPECT_EQ(apply("cann-cross-l2", DType::f16, truth, actual, third).status, Status::pass);
  // 3 ulp: max ratio 3, over L2; mean 1.2, RMS sqrt(1.8) = 1.34: inside L1.
  actual[0] = 1027;
  EXPECT_THAT(apply("cann-cross-l2", DType::f16, truth, actual, third).reason, HasSubstr("MARE is 3 times"));
  EXPECT_EQ(apply("cann-cross-l1", DType::f16, truth, actual, third).status, Status::pass);
  // 5 ulp: mean 1.4, RMS sqrt(3.4) = 1.84: over L1's 1.5, inside L0's 2.
  actual[0] = 1029;
  EXPECT_THAT(apply("cann-cross-l1", DType::f16, truth, actual, third).reason, HasSubstr("RMSE"));
  EXPECT_EQ(apply("cann-cross-l0", DType::f16, truth, actual, third).status, Status::pass);
}

TEST(CannCross, SmallValuesAreCounted) {
  // |t| < 2^-11 and an error over 2^-16 is a small-value error: the third has 1 (or none: counted as 1), ours may
  // have 2.
  const std::vector<double> truth(8, 0.0);
  std::vector<double> actual(8, 0.0), third(8, 0.0);
  actual[0] = actual[1] = 0x1p-15;
  actual[2] = 0x1p-16;  // exactly E is no error
  EXPECT_EQ(apply("cann-cross-l1", DType::f16, truth, actual, third).status, Status::pass);
  actual[2] = 0x1p-15;
  EXPECT_EQ(apply("cann-cross-l1", DType::f16, truth, actual, third).status, Status::fail);
  third[0] = third[1] = 0x1p-15;
  EXPECT_EQ(apply("cann-cross-l1", DType::f16, truth, actual, third).status, Status::pass);
}

TEST(CannCross, NonFiniteValuesNeedACompanion) {
  EXPECT_EQ(apply("cann-cross-l1", DType::f16, {1, 2}, {inf, 2}, std::vector<double>{inf, 2}).status, Status::pass);
  EXPECT_EQ(apply("cann-cross-l1", DType::f16, {inf, 2}, {inf, 2}, std::vector<double>{5, 2}).status, Status::pass);
  EXPECT_EQ(apply("cann-cross-l1", DType::f16, {1, 2}, {nan, 2}, std::vector<double>{1, 2}).status, Status::fail);
}

TEST(Standards, AreShownBesideTheDefault) {
  // f16, one ulp off at 1: bound says no, the tolerances that forgive it say yes.
  const Judgement j = apply("bound", DType::f16, {1}, {1 + 0x1p-10});
  EXPECT_EQ(j.status, Status::fail);
  using Pair = std::pair<std::string, bool>;
  EXPECT_THAT(j.standards, ::testing::ElementsAre(Pair{"cann-mixed-2026-07", true},
                                                  Pair{"cann-mere-mare-2026-04", true}, Pair{"ascendc-sample", true},
                                                  Pair{"msprobe", true}, Pair{"torch", true}, Pair{"benchdnn", true}));
  EXPECT_EQ(apply("torch", DType::f16, {1}, {1 + 0x1p-10}).status, Status::pass);
  // A standard decides alone: the interval is one point, and statistics have no say.
  EXPECT_EQ(apply("ulp:1", DType::f16, {1}, {1 + 0x1p-10}).bad, 0);
}

}  // namespace
}  // namespace fusecheck
