// contract_f64 and absolute_sum against exact sums, with the error bounds that they promise; samples; single terms.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>

#include "engine/naive.hpp"
#include "engine/problems.hpp"

namespace fusecheck::engine {
namespace {

constexpr Direction kDirections[] = {Direction::forward, Direction::data_gradient, Direction::weight_gradient};

struct Exact {
  numeric::DoubleDouble sum;
  double absolute = 0;  // within 2^-50 of Σ|terms|
};

Exact exact_of(const Contraction& problem, const std::vector<float>& a, const std::vector<float>& b,
               const std::vector<float>& bias, std::int64_t output) {
  const naive::Terms terms = naive::gather(problem, a, b, output, {});
  std::vector<double> products = {static_cast<double>(naive::bias_of(problem, bias, output))};
  for (std::size_t k = 0; k < terms.a.size(); ++k) {
    products.push_back(static_cast<double>(terms.a[k]) * static_cast<double>(terms.b[k]));
  }
  Exact exact{numeric::exact_sum(products), 0};
  for (const double p : products) exact.absolute += std::fabs(p);
  return exact;
}

template <class Check>
void for_every_problem(Check check) {
  for (const NamedGeometry& g : ragged_geometries()) {
    for (const Direction direction : kDirections) {
      SCOPED_TRACE(g.name + ", direction " + std::to_string(static_cast<int>(direction)));
      const Contraction problem{direction, g.geometry};
      std::vector<float> bias;
      if (direction == Direction::forward) bias = drawn({g.geometry.oc}, 3, DType::f32);
      check(problem, drawn(problem.a_shape(), 1, DType::f32), drawn(problem.b_shape(), 2, DType::f32), bias);
    }
  }
}

// K + 1 roundings of a chain: at most (K + 1)·2^-53·S (Jeannerod and Rump 2013); (K + 2) covers the oracle.
TEST(Truth, IsWithinItsErrorBoundAndTheSameOnEveryPath) {
  for_every_problem([](const Contraction& problem, const std::vector<float>& a, const std::vector<float>& b,
                       const std::vector<float>& bias) {
    const std::vector<double> a64(a.begin(), a.end()), b64(b.begin(), b.end()), c64(bias.begin(), bias.end());
    const std::vector<double> truth = contract_f64(problem, a64, b64, c64, {1, Simd::scalar});
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const Exact exact = exact_of(problem, a, b, bias, static_cast<std::int64_t>(i));
      const double error = std::fabs((truth[i] - exact.sum.high) - exact.sum.low);
      ASSERT_LE(error, static_cast<double>(problem.terms() + 2) * 0x1p-53 * exact.absolute) << "output " << i;
    }
    for (const Simd simd : available_paths()) {
      for (const int threads : {1, 2, 7}) {
        ASSERT_EQ(contract_f64(problem, a64, b64, c64, {threads, simd}), truth) << name_of(simd) << threads;
      }
    }
  });
}

// A second oracle that shares no code: a 1x1 convolution is the matrix product W·X.
TEST(Truth, OfAPointwiseConvolutionIsEigensMatrixProduct) {
  const Contraction problem{Direction::forward, {.c = 37, .h = 5, .w = 7, .oc = 23}};
  const std::vector<float> x = drawn(problem.a_shape(), 1, DType::f16), w = drawn(problem.b_shape(), 2, DType::f16);
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const std::vector<double> x64(x.begin(), x.end()), w64(w.begin(), w.end());
  const Matrix product = Eigen::Map<const Matrix>(w64.data(), 23, 37) * Eigen::Map<const Matrix>(x64.data(), 37, 35);
  const std::vector<double> y = contract_f64(problem, x64, w64, {}, {});
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], product.data()[i], 1e-12);
}

// Bounded from below by the exact sum, from above by its factor, the same on every path.
void expect_bound(const Contraction& problem, const std::vector<float>& a, const std::vector<float>& b,
                  const std::vector<float>& bias) {
  const double factor = 1 + static_cast<double>(problem.terms() + 4) * 0x1p-23;
  const std::vector<float> scalar = absolute_sum(problem, a, b, bias, {1, Simd::scalar});
  for (std::size_t i = 0; i < scalar.size(); ++i) {
    const double exact = exact_of(problem, a, b, bias, static_cast<std::int64_t>(i)).absolute;
    ASSERT_GE(static_cast<double>(scalar[i]), exact * (1 - 0x1p-40)) << "output " << i;
    // Below the normal range of f32 the factor is out of reach: one spacing of subnormals more.
    ASSERT_LE(static_cast<double>(scalar[i]), exact * factor + 0x1p-149) << "output " << i;
  }
  for (const Simd simd : available_paths()) {
    for (const int threads : {1, 7}) {
      ASSERT_EQ(absolute_sum(problem, a, b, bias, {threads, simd}), scalar) << name_of(simd) << threads;
    }
  }
}

TEST(AbsoluteSum, IsAnUpperBoundWithinItsFactor) { for_every_problem(expect_bound); }

// One element in 600, what widths of rounded values look like: another way leads to the same bound.
TEST(AbsoluteSum, IsAnUpperBoundWhereMostTermsAreZero) {
  const auto thinned = [](std::vector<float> values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 600 == 7 ? values[i] : 0.0F;
    return values;
  };
  for_every_problem([&](const Contraction& problem, const std::vector<float>& a, const std::vector<float>& b,
                        const std::vector<float>& bias) {
    expect_bound(problem, thinned(a), b, bias);
    expect_bound(problem, a, thinned(b), bias);
  });
}

// 0·Inf is NaN also where the other terms of the sum are 0.
TEST(AbsoluteSum, OfZerosAndAnInfinityIsNaN) {
  const Contraction problem{Direction::forward, {.c = 3}};
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {0.0F, 0.0F, 0.0F}, w = {1.0F, infinity, 1.0F};
  for (const Simd simd : available_paths()) EXPECT_TRUE(std::isnan(absolute_sum(problem, x, w, {}, {1, simd})[0]));
}

// 1 + 2^-24 + 2^-24 in f32, sequentially, is 1: below the exact sum. The bound must not be.
TEST(AbsoluteSum, CoversWhatRoundingLoses) {
  const Contraction problem{Direction::forward, {.c = 3}};
  const std::vector<float> x = {-1.0F, 0x1p-24F, -0x1p-24F}, w = {1.0F, 1.0F, 1.0F};
  for (const Simd simd : available_paths()) {
    EXPECT_GE(absolute_sum(problem, x, w, {}, {1, simd})[0], 1.0F + 0x1p-23F);
  }
}

// Products 2^-150 underflow to 0 in f32, four of them sum to 2^-148. Zeros give exactly 0.
TEST(AbsoluteSum, CoversProductsThatUnderflow) {
  const Contraction problem{Direction::forward, {.c = 4}};
  const std::vector<float> x(4, 0x1p-75F), w(4, -0x1p-75F), zero(4, 0.0F);
  for (const Simd simd : available_paths()) {
    EXPECT_EQ(absolute_sum(problem, x, w, {}, {1, simd})[0], 0x1p-148F + 0x1p-149F);  // rounded up past 2^-148
    EXPECT_EQ(absolute_sum(problem, x, zero, {}, {1, simd})[0], 0.0F);
  }
}

TEST(Sample, GivesTheElementsOfTheWholeResult) {
  for (const NamedGeometry& g : ragged_geometries()) {
    for (const Direction direction : kDirections) {
      const Contraction problem{direction, g.geometry};
      for (const std::int64_t most : {std::int64_t{1}, std::int64_t{50}, std::int64_t{1} << 40}) {
        SCOPED_TRACE(g.name + ", direction " + std::to_string(static_cast<int>(direction)) + ", " +
                     std::to_string(most));
        const Sample sample = choose_outputs(problem, most, 5);
        const std::int64_t all = element_count(problem.output_shape());
        const std::int64_t row = direction == Direction::data_gradient ? g.geometry.c / g.geometry.groups
                                                                       : g.geometry.oc / g.geometry.groups;
        EXPECT_EQ(std::ssize(sample.outputs), std::min(all, std::max(most / row * row, row)));
        EXPECT_EQ(std::ranges::adjacent_find(sample.outputs, std::greater_equal<>{}), sample.outputs.end());
        for (const NamedArithmetic& named : all_arithmetic()) {
          const std::vector<float> a = drawn(problem.a_shape(), 1, named.operands);
          const std::vector<float> b = drawn(problem.b_shape(), 2, named.operands);
          const std::vector<float> whole = contract(problem, a, b, {}, named.arithmetic, {});
          const std::vector<float> part = contract_at(problem, a, b, {}, named.arithmetic, sample, {3});
          ASSERT_EQ(part.size(), sample.outputs.size());
          for (std::size_t i = 0; i < part.size(); ++i) {
            ASSERT_EQ(std::bit_cast<std::uint32_t>(part[i]),
                      std::bit_cast<std::uint32_t>(whole[static_cast<std::size_t>(sample.outputs[i])]))
                << named.name << ", output " << sample.outputs[i];
          }
        }
      }
    }
  }
}

TEST(Sample, DependsOnTheSeedAndOnNothingElse) {
  const Contraction problem{Direction::forward, {.c = 2, .h = 40, .w = 40, .oc = 8}};
  EXPECT_EQ(choose_outputs(problem, 100, 1).outputs, choose_outputs(problem, 100, 1).outputs);
  EXPECT_NE(choose_outputs(problem, 100, 1).outputs, choose_outputs(problem, 100, 2).outputs);
}

// The gathered terms less those on padding; here no operand is 0, so a product is 0 only on padding.
TEST(TermsOf, AreTheNaiveTermsWithoutPadding) {
  for (const NamedGeometry& g : ragged_geometries()) {
    for (const Direction direction : kDirections) {
      const Contraction problem{direction, g.geometry};
      std::vector<float> a(static_cast<std::size_t>(element_count(problem.a_shape())));
      std::vector<float> b(static_cast<std::size_t>(element_count(problem.b_shape())));
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i + 1);
      for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(2 * i + 1);
      const std::int64_t outputs = element_count(problem.output_shape());
      for (std::int64_t output = 0; output < outputs; output += 1 + outputs / 97) {
        const naive::Terms terms = naive::gather(problem, a, b, output, {});
        std::vector<double> want;
        for (std::size_t k = 0; k < terms.a.size(); ++k) {
          if (terms.a[k] > 0) want.push_back(static_cast<double>(terms.a[k]) * static_cast<double>(terms.b[k]));
        }
        ASSERT_EQ(terms_of(problem, a, b, output), want) << g.name << ", output " << output;
      }
    }
  }
}

}  // namespace
}  // namespace fusecheck::engine
