// Elementwise runs: vector code against one element at a time, for every pair of special values and every instruction
// set of this machine, and the ends of intervals against numbers worked out by hand.
#include "engine/elementwise.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/simd.hpp"

namespace fusecheck::engine {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<Simd> available() {
  std::vector<Simd> list = {Simd::scalar};
  if (best_simd() != Simd::scalar) list.push_back(Simd::avx2);
  if (best_simd() == Simd::avx512) list.push_back(Simd::avx512);
  return list;
}

// low <= v <= high, special ends included.
struct Triples {
  std::vector<double> v, low, high;
  void add(double l, double x, double h) {
    low.push_back(l);
    v.push_back(x);
    high.push_back(h);
  }
  Interval at(std::size_t i) const { return {v.data() + i, low.data() + i, high.data() + i}; }
};

Triples special() {
  Triples list;
  for (const double x : {0.0, -0.0, 1.0, -1.0, 0x1p-149, -0x1p-149, 0x1.fffffep127, -0x1.fffffep127, 0x1p-1074, 1.0 / 3,
                         kInf, -kInf, kNan}) {
    list.add(x, x, x);
  }
  list.add(-1, 0, 2);
  list.add(-kInf, 1, kInf);
  list.add(-kInf, -3, -1);
  list.add(0, 0x1p-150, 1);
  list.add(0.25, 1.0 / 3, 0.5);
  list.add(-0x1.fffffep127, 0, 0x1.fffffep127);
  return list;
}

std::uint64_t bits(double x) { return x != x ? 0x7ff8000000000000ULL : std::bit_cast<std::uint64_t>(x); }

struct Result {
  std::vector<double> v, low, high;
  explicit Result(std::size_t n) : v(n), low(n), high(n) {}
  IntervalOut out(std::size_t i) { return {v.data() + i, low.data() + i, high.data() + i}; }
};

TEST(Elementwise, VectorsGiveTheBitsOfSingleElements) {
  const Triples x = special();
  const auto n = x.v.size();
  for (const Simd simd : available()) {
    const ElementwiseTable& table = kernels_for(simd).elementwise;
    const ElementwiseTable& plain = kernels_for(Simd::scalar).elementwise;
    for (int op = 0; op < kOperations; ++op) {
      for (std::size_t j = 0; j < n; ++j) {
        Result left(n), right(n), single(1);
        table.interval[op][1](x.at(0), x.at(j), left.out(0), static_cast<std::int64_t>(n));
        table.interval[op][2](x.at(j), x.at(0), right.out(0), static_cast<std::int64_t>(n));
        for (std::size_t i = 0; i < n; ++i) {
          plain.interval[op][0](x.at(i), x.at(j), single.out(0), 1);
          EXPECT_EQ(bits(left.v[i]), bits(single.v[0])) << op << " " << x.v[i] << " " << x.v[j];
          EXPECT_EQ(bits(left.low[i]), bits(single.low[0])) << op << " " << x.v[i] << " " << x.v[j];
          EXPECT_EQ(bits(left.high[i]), bits(single.high[0])) << op << " " << x.v[i] << " " << x.v[j];
          plain.interval[op][0](x.at(j), x.at(i), single.out(0), 1);
          EXPECT_EQ(bits(right.v[i]), bits(single.v[0])) << op << " " << x.v[j] << " " << x.v[i];
          EXPECT_EQ(bits(right.low[i]), bits(single.low[0])) << op << " " << x.v[j] << " " << x.v[i];
          EXPECT_EQ(bits(right.high[i]), bits(single.high[0])) << op << " " << x.v[j] << " " << x.v[i];
        }
      }
    }
  }
}

// [1, 2]·[-3, 4] = [-6, 8], then one rounding of up to 2^-24·8 = 2^-21 to either side.
TEST(Elementwise, ProductOfIntervals) {
  const std::vector<double> v(11, 1.5), low(11, 1), high(11, 2), w(11, 1), w_low(11, -3), w_high(11, 4);
  for (const Simd simd : available()) {
    Result z(11);
    kernels_for(simd).elementwise.interval[2][0]({v.data(), low.data(), high.data()},
                                                 {w.data(), w_low.data(), w_high.data()}, z.out(0), 11);
    for (std::size_t i = 0; i < 11; ++i) {
      EXPECT_EQ(z.v[i], 1.5);
      EXPECT_NEAR(z.low[i], -6 - 0x1p-21, 0x1p-40);
      EXPECT_NEAR(z.high[i], 8 + 0x1p-21, 0x1p-40);
    }
  }
}

// In the vector part and in the tail.
TEST(Elementwise, OneOperand) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  const auto result = [](Simd simd, UnaryOperation operation, float value) {
    const std::vector<float> x(37, value);
    std::vector<float> y(37);
    kernels_for(simd).elementwise.unary_f32[static_cast<int>(operation)](x.data(), y.data(), 37);
    for (const float v : y) EXPECT_EQ(std::bit_cast<std::uint32_t>(v), std::bit_cast<std::uint32_t>(y[0]));
    return y[0];
  };
  for (const Simd simd : available()) {
    EXPECT_EQ(result(simd, UnaryOperation::negate, 3), -3);
    EXPECT_TRUE(std::signbit(result(simd, UnaryOperation::negate, 0)));
    EXPECT_EQ(result(simd, UnaryOperation::square_root, 2.25F), 1.5F);
    EXPECT_EQ(result(simd, UnaryOperation::square_root, 2), 0x1.6a09e6p0F);  // 1.41421356, the nearest in f32
    EXPECT_EQ(result(simd, UnaryOperation::absolute, -7), 7);
    EXPECT_EQ(result(simd, UnaryOperation::positive, 0x1p-149F), 1);
    EXPECT_EQ(result(simd, UnaryOperation::positive, 0), 0);
    EXPECT_EQ(result(simd, UnaryOperation::positive, nan), 0);
    EXPECT_EQ(result(simd, UnaryOperation::relu, infinity), infinity);
    EXPECT_EQ(result(simd, UnaryOperation::relu, -2), 0);
    EXPECT_FALSE(std::signbit(result(simd, UnaryOperation::relu, -0.0F)));
    EXPECT_TRUE(std::isnan(result(simd, UnaryOperation::relu, nan)));
  }
}

// 1/3 is no value of f32, 1/4 is: the run says whether all of its results are.
TEST(Elementwise, KnowsWhichResultsF32Holds) {
  const std::vector<double> one(9, 1), quarter(9, 4);
  std::vector<double> mixed(9, 4), out(9);
  for (const Simd simd : available()) {
    const ElementwiseTable& table = kernels_for(simd).elementwise;
    EXPECT_TRUE(table.f64[3][0](one.data(), quarter.data(), out.data(), 9));
    for (std::size_t i = 0; i < 9; ++i) {  // in the vector part and in the tail
      mixed[i] = 3;
      EXPECT_FALSE(table.f64[3][0](one.data(), mixed.data(), out.data(), 9)) << i;
      EXPECT_EQ(out[i], 1.0 / 3);
      mixed[i] = 4;
    }
  }
}

}  // namespace
}  // namespace fusecheck::engine
