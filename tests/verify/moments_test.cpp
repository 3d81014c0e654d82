// The sums over lanes of each instruction set that this machine has are those for any x86-64, compiled here, bit by
// bit.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include "fusecheck/philox.hpp"
#include "numeric/functions_dispatch.hpp"
#include "verify/moments_kernel.hpp"
#include "verify/spacing.hpp"

namespace fusecheck::verify {
namespace {

using List = std::vector<double>;
constexpr std::size_t n = 512;

struct Data {
  List truth, low, high, half_width, actual, exact, weight;
  explicit Data(DType dtype) {
    const Philox rng(5, "moments");
    for (std::uint64_t i = 0; i < n; ++i) {
      const double x = rng.normal(i), half = std::abs(rng.normal(i + n)) * 1e-3;
      exact.push_back(x);
      truth.push_back(round_to(dtype, x));
      low.push_back(round_to(dtype, x - half));
      high.push_back(round_to(dtype, x + half));
      half_width.push_back(i % 7 == 0 ? 0 : half);
      actual.push_back(i % 3 == 0 ? truth.back() : round_to(dtype, x + half * rng.normal(i + 2 * n) / 6));
      weight.push_back(i % 7 == 0 ? 0 : 1.0 / static_cast<double>(1 + i % 5));
    }
    actual[40] = std::numeric_limits<double>::quiet_NaN();
    weight[40] = 0;
    truth[80] = actual[80] = high[80] = std::numeric_limits<double>::infinity();
    weight[80] = 0;
  }
  Elements8 view() const {
    return {truth.data(), low.data(), high.data(), half_width.data(), actual.data(), exact.data(), weight.data(), n};
  }
};

void expect_same(const MomentLoops& a, const MomentLoops& b, DType dtype) {
  const Data data(dtype);
  MomentRule rule = {};
  rule.storage = Spacing(dtype).parameters();
  rule.compute = Spacing(DType::f32).parameters();
  rule.mean = 0.25;
  rule.rms = 0.5;
  rule.bias = rule.bias_magnitude = 0.125;
  rule.largest = largest_finite(dtype);
  rule.floating = true;
  std::array<std::vector<std::int32_t>, 2> counted = {std::vector<std::int32_t>(n), std::vector<std::int32_t>(n)};
  std::array<List, 2> q = {List(n), List(n)};
  std::array<std::vector<Eight>, 2> eights = {std::vector<Eight>(n / 8), std::vector<Eight>(n / 8)};
  std::array<Screened, 2> screened;
  std::array<Moments, 2> moments;
  std::array<Inspected, 2> inspected;
  for (std::size_t i = 0; i < 2; ++i) {
    const MomentLoops& loops = i == 0 ? a : b;
    for (double& bound : screened[i].visible_bound.at) bound = std::numeric_limits<double>::infinity();
    loops.screen(rule, data.view(), counted[i].data(), screened[i]);
    loops.moments(rule, data.view(), q[i].data(), moments[i]);
    loops.inspect(rule, data.view(), eights[i].data(), inspected[i]);
  }
  EXPECT_EQ(counted[0], counted[1]);
  EXPECT_EQ(q[0], q[1]);
  EXPECT_EQ(std::memcmp(&screened[0], &screened[1], sizeof(Screened)), 0);
  EXPECT_EQ(std::memcmp(&moments[0], &moments[1], sizeof(Moments)), 0);
  EXPECT_EQ(std::memcmp(&inspected[0], &inspected[1], sizeof(Inspected)), 0);
  for (std::size_t i = 0; i < n / 8; ++i) {
    EXPECT_EQ(eights[0][i].plain, eights[1][i].plain);
    EXPECT_EQ(eights[0][i].score, eights[1][i].score);
    EXPECT_EQ(eights[0][i].ulps, eights[1][i].ulps);
  }
}

TEST(Moments, AreTheSameOnEveryInstructionSet) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    if (numeric::function_level(1).available()) expect_same(loops_here(), moment_loops_avx2(), dtype);
    if (numeric::function_level(2).available()) expect_same(loops_here(), moment_loops_avx512(), dtype);
  }
}

}  // namespace
}  // namespace fusecheck::verify
