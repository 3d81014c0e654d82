// A layer norm of a residual sum as a vendor might ship it, written down as a body (J8): f16 addition, statistics in
// f32 with the variance in one pass, f16 multiplication by gamma. The kernel is plain loops; rows have a mean 64 times
// their deviation, so that each of these choices shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fusecheck/check.hpp"

namespace fusecheck {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using List = std::vector<double>;

constexpr std::size_t rows = 24, length = 96;
const Shape shape = {24, 96};

Tensor drawn(const Shape& of, const std::string& name, double mean, double deviation) {
  const Philox rng(1, name);
  List values(static_cast<std::size_t>(element_count(of)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = mean + deviation * rng.normal(i);
  return Tensor::from(DType::f16, of, std::span<const double>(values));
}

Tensors inputs() {
  return {{"x1", drawn(shape, "x1", 64, 1)},
          {"x2", drawn(shape, "x2", 0, 0.25)},
          {"gamma", drawn({96}, "gamma", 1.5, 0.25)},
          {"beta", drawn({96}, "beta", 0.5, 0.25)}};
}

double half(double x) { return round_to(DType::f16, x); }

// What the vendor's kernel computes; every float operation is rounded to f32 by the compiler's own arithmetic.
List vendor(const Tensors& in) {
  const std::vector<float> x1 = in.at("x1").floats(), x2 = in.at("x2").floats(), gamma = in.at("gamma").floats(),
                           beta = in.at("beta").floats();
  List y;
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<float> s;
    float sum = 0, squares = 0;
    for (std::size_t i = 0; i < length; ++i) {
      const float x = x1[row * length + i] + x2[row * length + i];
      s.push_back(static_cast<float>(half(static_cast<double>(x))));
      sum += s.back();
      squares += s.back() * s.back();
    }
    const float mean = sum / float{length}, variance = squares / float{length} - mean * mean;
    const float deviation = std::sqrt(variance + 1e-5F);
    for (std::size_t i = 0; i < length; ++i) {
      const double n = half(static_cast<double>((s[i] - mean) / deviation));
      const double scaled = half(n * static_cast<double>(gamma[i]));
      y.push_back(half(scaled + static_cast<double>(beta[i])));
    }
  }
  return y;
}

// Exact algebra, in f64.
List exact(const Tensors& in) {
  List y;
  for (std::size_t row = 0; row < rows; ++row) {
    List s;
    double mean = 0, variance = 0;
    for (std::size_t i = 0; i < length; ++i) {
      const auto at = static_cast<std::int64_t>(row * length + i);
      s.push_back(in.at("x1").at(at) + in.at("x2").at(at));
      mean += s.back() / double{length};
    }
    for (const double value : s) variance += (value - mean) * (value - mean) / double{length};
    for (std::size_t i = 0; i < length; ++i) {
      const auto c = static_cast<std::int64_t>(i);
      y.push_back((s[i] - mean) / std::sqrt(variance + 1e-5) * in.at("gamma").at(c) + in.at("beta").at(c));
    }
  }
  return y;
}

CheckReport judged(const std::string& line, const List& y) {
  CheckRequest request;
  request.spec = parse_case(line);
  request.inputs = inputs();
  request.actual = {{"y", Tensor::from(DType::f16, shape, std::span<const double>(y))}};
  return check(request);
}

const std::string declared =
    "body:s1=add:x1:x2+s=f16:s1+m=reduce_mean:s+q=mul:s:s+e=reduce_mean:q+m2=mul:m:m+v=sub:e:m2+d=sub:s:m"
    "+ve=add:v:1e-05+r=sqrt:ve+n1=div:d:r+n=f16:n1+g1=mul:n:gamma+g=f16:g1+y=add:g:beta"
    "/f16/beta=96,gamma=96,x1=24x96,x2=24x96/random/fwd";

TEST(PrivateSchedule, AKernelThatDoesWhatItDeclaresPasses) {
  const CheckReport report = judged(declared, vendor(inputs()));
  EXPECT_EQ(report.status, Status::pass) << report.repro;
  EXPECT_THAT(report.sets.at(0).explained_by, Contains("as-written"));
}

// The note's figure is the distance of the declaration before its last rounding, which moves it by half an ULP at most;
// what is left is f32, far below an ULP of f16 where y is not small against its own terms. The largest lies where y is.
TEST(PrivateSchedule, TheReportSaysWhatItCosts) {
  const List y = vendor(inputs()), truth = exact(inputs());
  double largest = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    largest = std::max(largest, std::abs(y[i] - truth[i]) / ulp(DType::f16, truth[i]));
  }
  const CheckReport report = judged(declared, y);
  double noted = 0;
  for (const std::string& note : report.sets.at(0).notes) {
    const std::size_t at = note.find("largest (median): y ");
    if (note.find("the declared roundings cost") == 0 && at != std::string::npos)
      noted = std::stod(note.substr(at + 20));
  }
  EXPECT_GT(noted, 1);
  EXPECT_NEAR(noted / largest, 1, 0.05);
}

// Nobody declared it: no recipe of AddLayerNorm rounds so. The nearest shares its variance, and the report says how to
// ask for it.
TEST(PrivateSchedule, UndeclaredItFailsAndTheNearestRecipeIsNamed) {
  const CheckReport report = judged("AddLayerNorm/f16,param=f16/x1=24x96,x2=24x96/random/fwd", vendor(inputs()));
  EXPECT_EQ(report.status, Status::fail);
  const std::vector<DataSetReport::Nearest>& nearest = report.sets.at(0).nearest;
  ASSERT_FALSE(nearest.empty());
  EXPECT_EQ(nearest[0].schedule, "one_pass");
  EXPECT_EQ(nearest[0].declare, "--recipe one_pass");
  EXPECT_TRUE(nearest[0].lossy);
}

// Neither does the declaration cover what it does not say: two passes where it says one.
TEST(PrivateSchedule, AnotherKernelFails) {
  List y = exact(inputs());
  for (double& value : y) value = half(value);
  EXPECT_EQ(judged(declared, y).status, Status::fail);
}

}  // namespace
}  // namespace fusecheck
