// The refusal of other floating-point modes; names of the instruction sets; arguments that cannot be used.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xmmintrin.h>

#include "base/float_environment.hpp"
#include "engine/problems.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::engine {
namespace {

using testing::HasSubstr;

// Sets bits of MXCSR while it lives.
class WithMode {
 public:
  explicit WithMode(unsigned bits) : before_(_mm_getcsr()) { _mm_setcsr(before_ | bits); }
  ~WithMode() { _mm_setcsr(before_); }
  WithMode(const WithMode&) = delete;
  WithMode& operator=(const WithMode&) = delete;

 private:
  unsigned before_;
};

std::string refusal(unsigned bits) {
  const WithMode mode(bits);
  try {
    require_default_float_environment();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    return error.what();
  }
  return "accepted";
}

// MXCSR: bit 6 DAZ, bits 13 and 14 rounding (1 down, 2 up, 3 toward zero), bit 15 FTZ.
TEST(FloatEnvironment, NamesTheWrongMode) {
  EXPECT_EQ(refusal(0), "accepted");
  EXPECT_THAT(refusal(1u << 6), HasSubstr("operands are taken as zero"));
  EXPECT_THAT(refusal(1u << 15), HasSubstr("results are flushed to zero"));
  for (const unsigned rounding : {1u, 2u, 3u}) {
    EXPECT_THAT(refusal(rounding << 13), HasSubstr("not to nearest"));
  }
}

// Threads inherit the modes of the thread that starts them.
TEST(FloatEnvironment, IsCheckedByTheEngineOnEveryThread) {
  const Contraction problem{Direction::forward, {.h = 64, .w = 64}};
  const std::vector<float> x(64 * 64, 1.0F), w(1, 1.0F);
  for (const int threads : {1, 2}) {
    const WithMode mode(1u << 15);
    EXPECT_THROW(contract(problem, x, w, {}, {}, {threads}), Error);
  }
}

TEST(SimdNames, RoundTripAndRefuse) {
  for (const Simd simd : available_paths()) EXPECT_EQ(parse_simd(name_of(simd)), simd);
  EXPECT_EQ(parse_simd("auto"), Simd::automatic);
  EXPECT_EQ(name_of(Simd::automatic), "auto");
  for (const char* wrong : {"", "AVX2", "sse", "avx-512"}) EXPECT_THROW(parse_simd(wrong), Error) << wrong;
}

TEST(Arguments, ThatContradictTheShapesAreRefused) {
  const Contraction problem{Direction::forward, {.c = 2, .h = 3, .w = 3, .oc = 2}};
  const std::vector<float> x(18, 1.0F), w(4, 1.0F), c(2, 1.0F), short_x(17, 1.0F);
  EXPECT_EQ(contract(problem, x, w, c, {}, {}).size(), 18u);
  EXPECT_THROW(contract(problem, short_x, w, c, {}, {}), Error);
  EXPECT_THROW(contract(problem, x, x, c, {}, {}), Error);
  EXPECT_THROW(contract(problem, x, w, w, {}, {}), Error);
  EXPECT_THROW(contract({Direction::data_gradient, problem.geometry}, x, w, c, {}, {}), Error);
}

TEST(Arguments, OrdersWithoutADefinitionAreRefused) {
  const Contraction problem{Direction::forward, {}};
  const std::vector<float> one(1, 1.0F);
  Arithmetic half{.sum = {.kind = SumKind::pairwise}, .accumulate = DType::f16};
  EXPECT_THROW(contract(problem, one, one, {}, half, {}), Error);
  EXPECT_THROW(contract(problem, one, one, {}, {.accumulate = DType::bf16}, {}), Error);
  EXPECT_THROW(contract(problem, one, one, {}, {.sum = {.kind = SumKind::split_k, .parts = 0}}, {}), Error);
}

}  // namespace
}  // namespace fusecheck::engine
