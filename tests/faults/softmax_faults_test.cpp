// Softmaxes with mistakes that only data made for them show, as kernels written out in f32: e^x without the maximum
// subtracted, and targets that are to be left out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "case.hpp"

namespace fusecheck::testing {
namespace {

Case case_of(const std::string& line) {
  const CaseSpec spec = parse_case(line);
  return make_case(spec, spec.data.front());
}

float dot(const float* a, const float* b, std::size_t n) { return std::inner_product(a, a + n, b, 0.0F); }

// e^(x - shift) and their sum; shift: the maximum, or 0.
struct Exponentials {
  std::vector<float> e;
  float total = 0, shift = 0;
};
Exponentials exponentials_of(const std::vector<float>& x, bool subtract) {
  Exponentials s;
  if (subtract) s.shift = *std::max_element(x.begin(), x.end());
  for (const float value : x) s.total += s.e.emplace_back(std::exp(value - s.shift));
  return s;
}

// y of 17 queries and keys in two heads, d = 8 and 4.
Tensor attention(const Case& of, bool subtract) {
  constexpr std::size_t rows = 34, keys = 17, d = 8, width = 4;
  const std::vector<float> q = of.inputs.at("q").floats(), k = of.inputs.at("k").floats();
  const std::vector<float> v = of.inputs.at("v").floats();
  std::vector<float> y;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t first = row / keys * keys;  // of this head
    std::vector<float> s;
    for (std::size_t j = first; j < first + keys; ++j) s.push_back(dot(&q[row * d], &k[j * d], d) / std::sqrt(8.0F));
    const Exponentials p = exponentials_of(s, subtract);
    for (std::size_t column = 0; column < width; ++column) {
      float total = 0;
      for (std::size_t j = 0; j < keys; ++j) total += p.e[j] / p.total * v[(first + j) * width + column];
      y.push_back(total);
    }
  }
  return Tensor::from(DType::f32, {1, 2, 17, 4}, std::span<const float>(y));
}

TEST(SoftmaxFaults, AttentionWithoutTheMaximumSubtracted) {
  const Case of = case_of("FusedAttention/f32/q=1x2x17x8/value_size=4/stress");
  const auto status = [&](bool subtract) { return kernel_status(check_kernel(of, {{"y", attention(of, subtract)}})); };
  EXPECT_EQ(status(true), Status::pass);
  EXPECT_EQ(status(false), Status::fail);
}

// The mean loss of 12 rows of 8, 7 classes.
struct Mistakes {
  bool subtract = true, leave_out = true;
};
Tensor cross_entropy(const Case& of, const Mistakes& kernel) {
  constexpr std::size_t rows = 12, classes = 7, k = 8;
  const std::vector<float> x = of.inputs.at("x").floats(), w = of.inputs.at("w").floats();
  const std::vector<double> target = of.inputs.at("target").doubles();
  float total = 0, counted = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    if (kernel.leave_out && target[row] < 0) continue;
    ++counted;
    if (target[row] < 0) continue;
    std::vector<float> logits;
    for (std::size_t j = 0; j < classes; ++j) logits.push_back(dot(&x[row * k], &w[j * k], k));
    const Exponentials s = exponentials_of(logits, kernel.subtract);
    total += std::log(s.total) - (logits[static_cast<std::size_t>(target[row])] - s.shift);
  }
  return Tensor::from(DType::f32, {}, std::vector<float>{total / counted});
}

TEST(SoftmaxFaults, CrossEntropyWithoutTheMaximumSubtractedOrWithAllRowsCounted) {
  const Case of = case_of("LinearCrossEntropy/f32/x=12x8/classes=7/stress");
  const auto status = [&](const Mistakes& kernel) {
    return kernel_status(check_kernel(of, {{"y", cross_entropy(of, kernel)}}));
  };
  EXPECT_EQ(status({}), Status::pass);
  EXPECT_EQ(status({.subtract = false}), Status::fail);
  EXPECT_EQ(status({.leave_out = false}), Status::fail);
}

}  // namespace
}  // namespace fusecheck::testing
