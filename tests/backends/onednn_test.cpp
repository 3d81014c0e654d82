// oneDNN's answers against hand-derived numbers and against Eigen in fp64: this shows that the replay hands over the
// right geometry, layout and operands.
#include "backends/onednn.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "backends/geometries.hpp"
#include "fusecheck/error.hpp"
#include "support/eigen_conv.hpp"

namespace fusecheck {
namespace {

using backends::replay;
using engine::Contraction;
using engine::Direction;
using ::testing::ElementsAre;

std::vector<float> must_replay(const Contraction& problem, const std::vector<float>& a, const std::vector<float>& b,
                               const std::vector<float>& bias, DType dtype = DType::f32, int threads = 1) {
  std::string reason;
  const auto result = replay(problem, a, b, bias, dtype, reason, threads);
  EXPECT_TRUE(result.has_value()) << reason;
  return result.value_or(std::vector<float>{});
}

// x = 1..9 in three rows, w = [1 2; 3 4].
constexpr engine::Conv2dGeometry kThreeByThree = {1, 1, 3, 3, 1, 2, 2};
const std::vector<float> kNine = {1, 2, 3, 4, 5, 6, 7, 8, 9};
const std::vector<float> kKernel = {1, 2, 3, 4};
const std::vector<float> kCross = {1, 0, 0, -1};  // dy

TEST(OneDnn, ForwardByHand) {
  // 1+4+12+20 = 37, 2+6+15+24 = 47, 4+10+21+32 = 67, 5+12+24+36 = 77; each plus the bias 0.5.
  EXPECT_THAT(must_replay({Direction::forward, kThreeByThree}, kNine, kKernel, {0.5F}),
              ElementsAre(37.5F, 47.5F, 67.5F, 77.5F));
  EXPECT_THAT(must_replay({Direction::forward, kThreeByThree}, kNine, kKernel, {}), ElementsAre(37, 47, 67, 77));
}

TEST(OneDnn, DataGradientByHand) {
  // w laid at the top left, minus w laid at the bottom right.
  EXPECT_THAT(must_replay({Direction::data_gradient, kThreeByThree}, kCross, kKernel, {}),
              ElementsAre(1, 2, 0, 3, 4 - 1, -2, 0, -3, -4));
}

TEST(OneDnn, WeightGradientByHand) {
  // x[kh][kw] - x[kh+1][kw+1] = -4 everywhere.
  EXPECT_THAT(must_replay({Direction::weight_gradient, kThreeByThree}, kNine, kCross, {}), ElementsAre(-4, -4, -4, -4));
}

TEST(OneDnn, EachSideIsPaddedByItsOwnAmount) {
  // x = [1 2; 3 4], w = 10, one row above, two columns to the left, three to the right.
  engine::Conv2dGeometry g = {1, 1, 2, 2, 1, 1, 1};
  g.pad_top = 1, g.pad_left = 2, g.pad_right = 3;
  EXPECT_THAT(must_replay({Direction::forward, g}, {1, 2, 3, 4}, {10}, {}),
              ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 20, 0, 0, 0, 0, 0, 30, 40, 0, 0, 0));
}

TEST(OneDnn, DilationAndStrideOfEachAxis) {
  // x = 1..12 in 3 rows of 4; taps at rows 0 and 2 (dilation 2) of two columns (dilation 1), column stride 2, w all
  // ones: 1+2+9+10 = 22 and 3+4+11+12 = 30.
  engine::Conv2dGeometry g = {1, 1, 3, 4, 1, 2, 2};
  g.dilation_h = 2, g.stride_w = 2;
  EXPECT_THAT(must_replay({Direction::forward, g}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {1, 1, 1, 1}, {}),
              ElementsAre(22, 30));
}

// Any order of a sum of K products and a bias errs by at most (K+2)·u·S to first order (one rounding per product and
// per addition on the longest path); two more for the terms of higher order and the fp64 reference.
void expect_within_bound(const Contraction& problem, const std::vector<double>& a, const std::vector<double>& b,
                         const std::vector<double>& bias, const std::vector<float>& actual, double store_roundoff) {
  const auto truth = testing::eigen_contract(problem, a, b, bias);
  const auto scale =
      testing::eigen_contract(problem, testing::magnitudes(a), testing::magnitudes(b), testing::magnitudes(bias));
  ASSERT_EQ(actual.size(), truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double sum_error = (testing::sizes_of(problem).terms + 4) * 0x1p-24 * scale[i];
    const double limit = sum_error + store_roundoff * (std::fabs(truth[i]) + sum_error);
    ASSERT_LE(std::fabs(static_cast<double>(actual[i]) - truth[i]), limit) << "element " << i << " of " << truth.size();
  }
}

TEST(OneDnn, AgreesWithEigenInEveryDirectionOnRaggedGeometries) {
  for (const auto& [name, geometry] : testing::ragged_geometries()) {
    for (const Direction direction : testing::all_directions()) {
      for (const int threads : {1, 2}) {
        SCOPED_TRACE(name + ", direction " + std::to_string(static_cast<int>(direction)));
        const Contraction problem{direction, geometry};
        const auto sizes = testing::sizes_of(problem);
        const auto a = testing::full_width_values(sizes.a, 1, "a"), b = testing::full_width_values(sizes.b, 2, "b");
        const auto bias = testing::full_width_values(sizes.bias, 3, "bias");
        const auto actual = must_replay(problem, testing::narrowed(a), testing::narrowed(b), testing::narrowed(bias),
                                        DType::f32, threads);
        expect_within_bound(problem, a, b, bias, actual, 0.0);
      }
    }
  }
}

// Multiples of 2^-7 in [-1, 1): 8 significant bits, as many as bf16 has.
std::vector<double> bf16_values(std::size_t count, std::uint64_t seed, const char* stream) {
  const Philox rng(seed, stream);
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(rng.integer(i, -128, 127)) * 0x1p-7;
  return values;
}

TEST(OneDnn, Bf16AgreesWithEigenWhereTheCpuHasIt) {
  int replayed = 0;
  for (const auto& [name, geometry] : testing::ragged_geometries()) {
    for (const Direction direction : testing::all_directions()) {
      SCOPED_TRACE(name + ", direction " + std::to_string(static_cast<int>(direction)));
      const Contraction problem{direction, geometry};
      const auto sizes = testing::sizes_of(problem);
      const auto a = bf16_values(sizes.a, 1, "a"), b = bf16_values(sizes.b, 2, "b");
      const auto bias = testing::full_width_values(sizes.bias, 3, "bias");
      std::string reason;
      const auto actual =
          replay(problem, testing::narrowed(a), testing::narrowed(b), testing::narrowed(bias), DType::bf16, reason);
      if (!actual) {
        EXPECT_THAT(reason, ::testing::EndsWith("): this CPU has no bf16 instructions"));
        continue;
      }
      ++replayed;
      for (const float value : *actual) EXPECT_EQ(std::bit_cast<std::uint32_t>(value) & 0xffffU, 0U);
      expect_within_bound(problem, a, b, bias, *actual, 0x1p-8);
    }
  }
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bf16")) {
    EXPECT_EQ(replayed, 36) << "12 geometries in 3 directions";
  }
#endif
}

TEST(OneDnn, SubnormalsStayInF32AndVanishInBf16) {
  // 2^-130 is subnormal in both formats; 2^20 would make the product normal again.
  const Contraction problem{Direction::forward, {1, 1, 1, 1, 1, 1, 1}};
  EXPECT_THAT(must_replay(problem, {0x1p-130F}, {0x1p+20F}, {}), ElementsAre(0x1p-110F));
  std::string reason;
  const auto actual =
      replay(problem, std::vector<float>{0x1p-130F}, std::vector<float>{0x1p+20F}, {}, DType::bf16, reason);
  if (actual) {
    EXPECT_THAT(*actual, ElementsAre(0.0F));
  } else {
    EXPECT_THAT(reason, ::testing::EndsWith("): this CPU has no bf16 instructions"));
  }
}

TEST(OneDnn, LeavesTheNumberOfThreadsAsItWas) {
  const auto get = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
  const auto set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  ASSERT_TRUE(get != nullptr && set != nullptr) << "this oneDNN brought no OpenMP runtime";
  const int before = get();
  set(5);
  must_replay({Direction::forward, kThreeByThree}, kNine, kKernel, {}, DType::f32, 2);
  EXPECT_EQ(get(), 5);
  set(before);
}

TEST(OneDnn, SaysWhyItCannotReplay) {
  for (const auto& [dtype, text] : {std::pair{DType::f64, "f64"}, std::pair{DType::f16, "f16"}}) {
    std::string reason;
    EXPECT_FALSE(replay({Direction::forward, kThreeByThree}, kNine, kKernel, {}, dtype, reason).has_value());
    EXPECT_EQ(reason, std::string("oneDNN replays f32 and bf16 convolutions, not ") + text);
  }
}

std::string message_of(const Contraction& problem, const std::vector<float>& a, const std::vector<float>& b,
                       const std::vector<float>& bias, DType dtype = DType::f32) {
  std::string reason;
  try {
    replay(problem, a, b, bias, dtype, reason);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    return error.what();
  }
  return "no error";
}

TEST(OneDnn, RefusesOperandsThatDoNotFit) {
  EXPECT_EQ(message_of({Direction::forward, kThreeByThree}, kKernel, kKernel, {}),
            "oneDNN replay: a has 4 elements, the geometry needs 9");
  EXPECT_EQ(message_of({Direction::weight_gradient, kThreeByThree}, kNine, kNine, {}),
            "oneDNN replay: b has 9 elements, the geometry needs 4");
  EXPECT_EQ(message_of({Direction::forward, kThreeByThree}, kNine, kKernel, {1, 2}),
            "oneDNN replay: bias has 2 elements, the geometry needs 1");
  EXPECT_EQ(message_of({Direction::data_gradient, kThreeByThree}, kCross, kKernel, {1}),
            "oneDNN replay: bias has 1 elements, the geometry needs 0");
  EXPECT_EQ(message_of({Direction::forward, kThreeByThree}, kNine, {1, 2, 3, 0.1F}, {}, DType::bf16),
            "oneDNN replay: an operand is no bf16 value; round operands before replaying a bf16 contraction");
}

TEST(OneDnn, NamesItsVersionAndInstructionSet) {
  EXPECT_THAT(backends::onednn_version(), ::testing::MatchesRegex("oneDNN [0-9]+\\.[0-9]+\\.[0-9]+ \\([a-z0-9_ ]+\\)"));
}

}  // namespace
}  // namespace fusecheck
