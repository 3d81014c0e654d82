// Mistakes that only data made for them show: variances that cancel, e^x beyond f32, bases below 0, shut gates. Each
// kernel is written out in f32 and passes without its mistake.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "case.hpp"

namespace fusecheck::testing {
namespace {

using Row = std::vector<float>;

Case case_of(const std::string& line) {
  const CaseSpec spec = parse_case(line);
  return make_case(spec, spec.data.front());
}

Status status_of_y(const Case& of, const Row& y) {
  const Shape& shape = of.context.shapes.at("y");
  return kernel_status(check_kernel(of, {{"y", Tensor::from(of.spec.dtype, shape, std::span<const float>(y))}}));
}

float sum_of(const Row& x) { return std::accumulate(x.begin(), x.end(), 0.0F); }
float square_sum_of(const Row& x) { return std::inner_product(x.begin(), x.end(), x.begin(), 0.0F); }

struct Statistics {
  float mean, variance;
};

Statistics two_pass(const Row& x) {
  const auto n = static_cast<float>(x.size());
  const float mean = sum_of(x) / n;
  Row apart;
  for (const float value : x) apart.push_back(value - mean);
  return {mean, square_sum_of(apart) / n};
}

Statistics one_pass(const Row& x) {
  const auto n = static_cast<float>(x.size());
  const float mean = sum_of(x) / n;
  return {mean, std::max(0.0F, square_sum_of(x) / n - mean * mean)};
}

Statistics welford(const Row& x) {
  float mean = 0, squares = 0, count = 0;
  for (const float value : x) {
    const float apart = value - mean;
    mean += apart / ++count;
    squares += apart * (value - mean);
  }
  return {mean, squares / count};
}

// y of rows of that length; element i has gamma and beta channel_of(i).
Row normalise(const Case& of, const Row& x, std::size_t length, const std::function<std::size_t(std::size_t)>& channel,
              Statistics (*statistics)(const Row&)) {
  const Row gamma = of.inputs.at("gamma").floats(), beta = of.inputs.at("beta").floats();
  Row y;
  for (std::size_t first = 0; first < x.size(); first += length) {
    const auto from = x.begin() + static_cast<std::ptrdiff_t>(first);
    const Statistics s = statistics(Row(from, from + static_cast<std::ptrdiff_t>(length)));
    const float rstd = 1 / std::sqrt(s.variance + 1e-5F);
    for (std::size_t i = first; i < first + length; ++i) {
      y.push_back((x[i] - s.mean) * rstd * gamma[channel(i)] + beta[channel(i)]);
    }
  }
  return y;
}

// A norm of 2x8x5x5 by groups of that length.
void expect_one_pass_fails(const std::string& line, std::size_t length) {
  const Case of = case_of(line);
  const Row x = of.inputs.at("x").floats();
  const auto channel = [](std::size_t i) { return i / 25 % 8; };
  EXPECT_EQ(status_of_y(of, normalise(of, x, length, channel, two_pass)), Status::pass);
  EXPECT_EQ(status_of_y(of, normalise(of, x, length, channel, one_pass)), Status::fail);
}

// Mean/deviation 4096 in a group: E[x^2] and mean^2 are 2^24, an f32 ulp there is 1 or 2, the variance itself is 1.
TEST(DataForFaults, VarianceOfGroupsInOnePass) {
  expect_one_pass_fails("group_norm/f32/x=2x8x5x5/num_groups=2/stress", 100);
}
TEST(DataForFaults, VarianceOfChannelsInOnePass) { expect_one_pass_fails("instance_norm/f32/x=2x8x5x5/stress", 25); }

TEST(DataForFaults, VarianceOfASumInOnePass) {
  const Case of = case_of("AddLayerNorm/f32/x1=8x64/stress");
  Row s = of.inputs.at("x1").floats();
  const Row other = of.inputs.at("x2").floats();
  std::transform(s.begin(), s.end(), other.begin(), s.begin(), std::plus<>());
  const auto column = [](std::size_t i) { return i % 64; };
  EXPECT_EQ(status_of_y(of, normalise(of, s, 64, column, two_pass)), Status::pass);
  EXPECT_EQ(status_of_y(of, normalise(of, s, 64, column, one_pass)), Status::fail);
}

// Numbers of f16 around 256 add up in f32 without a rounding; Welford's means of 3, 5, 6 ... of them do not.
TEST(DataForFaults, WelfordsMeanRoundsWhereASumDoesNot) {
  const Case of = case_of("layer_norm/f16/x=1x17/stress");
  const auto column = [](std::size_t i) { return i % 17; };
  EXPECT_EQ(status_of_y(of, normalise(of, of.inputs.at("x").floats(), 17, column, welford)), Status::pass);
}

using Map = float (*)(float);

Status status_of_map(const std::string& line, Map f) {
  const Case of = case_of(line);
  Row y = of.inputs.at("x").floats();
  std::transform(y.begin(), y.end(), y.begin(), f);
  return status_of_y(of, y);
}

// e^x is infinite beyond 88.7, and Inf/Inf no number.
TEST(DataForFaults, AnExponentialThatOverflows) {
  for (const std::string dtype : {"f16", "bf16", "f32"}) {
    const auto on = [&](const std::string& op, Map f) { return status_of_map(op + "/" + dtype + "/x=4x77/stress", f); };
    EXPECT_EQ(on("sigmoid", [](float x) { return 1 / (1 + std::exp(-x)); }), Status::pass);
    EXPECT_EQ(on("sigmoid", [](float x) { return std::exp(x) / (1 + std::exp(x)); }), Status::fail);
    EXPECT_EQ(on("silu", [](float x) { return x / (1 + std::exp(-x)); }), Status::pass);
    EXPECT_EQ(on("silu", [](float x) { return x * (std::exp(x) / (1 + std::exp(x))); }), Status::fail);
    EXPECT_EQ(on("softplus", [](float x) { return std::max(x, 0.0F) + std::log1p(std::exp(-std::fabs(x))); }),
              Status::pass);
    EXPECT_EQ(on("softplus", [](float x) { return std::log1p(std::exp(x)); }), Status::fail);
    EXPECT_EQ(on("tanh", [](float x) { return std::tanh(x); }), Status::pass);
    EXPECT_EQ(on("tanh", [](float x) { return std::expm1(2 * x) / (std::expm1(2 * x) + 2); }), Status::fail);
  }
}

// silu with e^-x cut off at e^10, which is right down to -10.
TEST(DataForFaults, AnExponentialCutOff) {
  const Map cut = [](float x) { return x / (1 + std::exp(std::min(-x, 10.0F))); };
  for (const std::string dtype : {"f16", "bf16", "f32"}) {
    EXPECT_EQ(status_of_map("silu/" + dtype + "/x=4x77/stress", cut), Status::fail);
  }
}

TEST(DataForFaults, AGateThatOverflows) {
  const Case of = case_of("SwiGlu/f16/x=3x34/stress");
  const Row x = of.inputs.at("x").floats();
  const auto gated = [&](Map sigmoid) {
    Row y;
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t i = 0; i < 17; ++i)
        y.push_back(x[row * 34 + i] * sigmoid(x[row * 34 + i]) * x[row * 34 + 17 + i]);
    }
    return y;
  };
  EXPECT_EQ(status_of_y(of, gated([](float a) { return 1 / (1 + std::exp(-a)); })), Status::pass);
  EXPECT_EQ(status_of_y(of, gated([](float a) { return std::exp(a) / (1 + std::exp(a)); })), Status::fail);
}

// x^3 by |x|: right for whatever is above 0.
TEST(DataForFaults, APowerOfWhatIsBelowZero) {
  EXPECT_EQ(status_of_map("pow/f32/x=4x77/exponent=3/random", [](float x) { return x * x * x; }), Status::pass);
  EXPECT_EQ(status_of_map("pow/f32/x=4x77/exponent=3/random",
                          [](float x) { return std::fabs(x) * std::fabs(x) * std::fabs(x); }),
            Status::fail);
}

// Three roundings, up to 3u: more than the 1/2 ULP of an IEEE root, less than the 3 ULP that OpenCL grants a device.
TEST(DataForFaults, ARootByItsReciprocalIsLegal) {
  const std::string line = "sqrt/f32/x=4x77/random";
  EXPECT_EQ(status_of_map(line, [](float x) { return x * (1 / std::sqrt(x)); }), Status::pass);
  EXPECT_EQ(status_of_map(line, [](float x) { return x * (1 / std::sqrt(x)) * (1 + 0x1p-20F); }), Status::fail);
}

// One maximum for all rows: where a row lies 104 below it, every e^x is 0, and 0/0 no number.
TEST(DataForFaults, TheMaximumOfAnotherRow) {
  const Case of = case_of("softmax/f16/x=4x50/stress");
  const Row x = of.inputs.at("x").floats();
  const float largest = *std::max_element(x.begin(), x.end());
  const auto softmax = [&](bool of_row) {
    Row y;
    for (auto from = x.begin(); from != x.end(); from += 50) {
      const float maximum = of_row ? *std::max_element(from, from + 50) : largest;
      Row e;
      std::transform(from, from + 50, std::back_inserter(e), [&](float value) { return std::exp(value - maximum); });
      const float total = sum_of(e);
      for (const float value : e) y.push_back(value / total);
    }
    return y;
  };
  EXPECT_EQ(status_of_y(of, softmax(true)), Status::pass);
  EXPECT_EQ(status_of_y(of, softmax(false)), Status::fail);
}

// A softmax by 2^(z·log2 e), as GPUs have it, and the gradient of a loss by e^(x - log Σ e^x) with the logarithm
// rounded at the size of x: both off by tens of u where x is a hundred.
TEST(DataForFaults, OtherExponentialsAreLegal) {
  const Case softmax = case_of("softmax/f32/x=4x50/stress");
  const Case loss = case_of("cross_entropy/f32/x=8x50/reduction=2/stress");
  Row y, dx;
  const Row x = softmax.inputs.at("x").floats(), logits = loss.inputs.at("x").floats();
  for (auto from = x.begin(); from != x.end(); from += 50) {
    const float maximum = *std::max_element(from, from + 50);
    Row e;
    for (auto at = from; at != from + 50; ++at) e.push_back(std::exp2((*at - maximum) * 1.44269504F));
    const float total = sum_of(e);
    for (const float value : e) y.push_back(value / total);
  }
  EXPECT_EQ(status_of_y(softmax, y), Status::pass);
  const std::vector<double> target = loss.inputs.at("target").doubles();
  const float dy = loss.inputs.at("dy").floats().front();
  for (std::size_t row = 0; row < 8; ++row) {
    const auto from = logits.begin() + static_cast<std::ptrdiff_t>(row * 50);
    const float maximum = *std::max_element(from, from + 50);
    float total = 0;
    for (auto at = from; at != from + 50; ++at) total += std::exp(*at - maximum);
    const float log_sum = maximum + std::log(total);
    for (std::size_t j = 0; j < 50; ++j) {
      const float hot = static_cast<double>(j) == target[row] ? 1.0F : 0.0F;
      dx.push_back(target[row] < 0 ? 0 : (std::exp(from[static_cast<std::ptrdiff_t>(j)] - log_sum) - hot) * dy);
    }
  }
  const Tensor gradient = Tensor::from(DType::f32, {8, 50}, std::span<const float>(dx));
  EXPECT_NE(kernel_status(check_kernel(loss, {{"dx", gradient}})), Status::fail);
}

// A row that is masked altogether gives 0; -10000 added to it instead, in f32, gives the shares of the row unmasked.
TEST(DataForFaults, ARowMaskedAltogetherInTensorsOfFourRows) {
  const Case of = case_of("masked_softmax/f32/x=4x16/stress");
  const Row x = of.inputs.at("x").floats();
  const std::vector<double> masked = of.inputs.at("masked").doubles();
  const auto softmax = [&](float added, bool zero) {
    Row y;
    for (std::size_t first = 0; first < x.size(); first += 16) {
      Row z;
      for (std::size_t i = first; i < first + 16; ++i) z.push_back(masked[i] == 0 ? x[i] : x[i] + added);
      const float maximum = *std::max_element(z.begin(), z.end());
      Row e;
      for (const float value : z) e.push_back(std::exp(value - maximum));
      const float total = sum_of(e);
      for (std::size_t i = 0; i < 16; ++i) y.push_back(zero && masked[first + i] != 0 ? 0 : e[i] / total);
    }
    return y;
  };
  EXPECT_NE(status_of_y(of, softmax(-10000, true)), Status::fail);
  EXPECT_EQ(status_of_y(of, softmax(-10000, false)), Status::fail);
}

// A gradient that passes a gate which is shut, or open all the way, shows only where one is: e beyond -3 and 3.
TEST(DataForFaults, GatesThatAreShutAndOpen) {
  constexpr std::size_t channels = 8, positions = 25;
  const Case of = case_of("SqueezeExcite/f32/x=2x8x5x5/squeeze=8/stress");
  const Row x = of.inputs.at("x").floats(), w1 = of.inputs.at("w1").floats(), w2 = of.inputs.at("w2").floats();
  const auto product = [&](const Row& w, const Row& v) {
    Row result;
    for (std::size_t row = 0; row < channels; ++row) {
      result.push_back(
          std::inner_product(v.begin(), v.end(), w.begin() + static_cast<std::ptrdiff_t>(row * channels), 0.0F));
    }
    return result;
  };
  for (std::size_t image = 0; image < 2; ++image) {
    Row means;
    for (std::size_t c = 0; c < channels; ++c) {
      const auto from = x.begin() + static_cast<std::ptrdiff_t>((image * channels + c) * positions);
      means.push_back(std::accumulate(from, from + positions, 0.0F) / positions);
    }
    Row r = product(w1, means);
    for (float& value : r) value = std::max(value, 0.0F);
    const Row e = product(w2, r);
    EXPECT_GT(*std::max_element(e.begin(), e.end()), 3);
    EXPECT_LT(*std::min_element(e.begin(), e.end()), -3);
    EXPECT_GE(std::count_if(e.begin(), e.end(), [](float value) { return std::fabs(value) < 3; }), 4);
  }
}

}  // namespace
}  // namespace fusecheck::testing
