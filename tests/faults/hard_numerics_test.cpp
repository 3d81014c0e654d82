// Where finite precision decides: rows whose mean is far from 0, logits far apart, long sums of one sign. Twenty seeds
// each: every legal order and recipe passes, the algorithm that does not hold there fails.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "case.hpp"
#include "fusecheck/functions.hpp"

namespace fusecheck::testing {
namespace {

constexpr std::uint64_t seeds = 20;
const std::vector<std::string> orders = {"ieee", "ieee/reversed", "ieee/pairwise", "ieee/block16", "ieee/split_k:4"};

// Largest mean/deviation of stored numbers (NUMERICS.md J10): 2^(p-3), and 4096 in f32. A mean of that many deviations
// loses log2 of the ratio's bits in x - mean, twice as many in E[x²] - mean².
double ratio_of(DType dtype) { return dtype == DType::f32 ? 4096 : std::ldexp(1.0, dtype == DType::f16 ? 8 : 5); }

// mean + deviation·normal, in storage type.
Tensor drawn(DType dtype, const Shape& shape, const std::string& name, std::uint64_t seed, double mean,
             double deviation) {
  const Philox rng(seed, name);
  std::vector<double> values(static_cast<std::size_t>(element_count(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = mean + deviation * rng.normal(i);
  return Tensor::from(dtype, shape, std::span<const double>(values));
}

Case case_with(const std::string& line, std::uint64_t seed, const Tensors& given) {
  CaseSpec spec = parse_case(line);
  spec.seed = seed;
  return make_case(spec, spec.data.front(), given);
}

// Every recipe that is not lossy, in every order, is explained by itself.
void expect_legal(const Case& of) {
  for (const run::Schedule& schedule : run::schedules_of(of.context, false)) {
    for (const std::string& order : orders) {
      Case declared = of;
      declared.spec.recipe = schedule.name;
      const CheckReport report = check_kernel(declared, emulate(of, schedule, of.inputs, parse_model(order)));
      // Weak is legal: of logits 200 apart most shares are below the smallest number of f32.
      EXPECT_NE(kernel_status(report), Status::fail)
          << to_line(of.spec) << ", " << schedule.name << ", " << order << "\n"
          << failures(report);
    }
  }
}

void expect_seen(const Case& of, const Tensors& outputs, const std::string& mistake) {
  EXPECT_EQ(name_of(kernel_status(check_kernel(of, outputs))), "fail") << mistake << ", " << to_line(of.spec);
}

class HardNumerics : public ::testing::TestWithParam<DType> {};

// A norm as plain loops in f32: `row` says of an element which mean it belongs to, `parameter` which gamma.
struct Norm {
  std::string op, attributes;
  Shape x;
  std::int64_t (*row)(std::int64_t i);
  std::int64_t (*parameter)(std::int64_t i);
};

const std::vector<Norm>& norms() {
  static const std::vector<Norm> all = {
      {"layer_norm", "", {24, 96}, [](std::int64_t i) { return i / 96; }, [](std::int64_t i) { return i % 96; }},
      {"group_norm",
       "num_groups=2",
       {3, 8, 17, 16},
       [](std::int64_t i) { return i / (4 * 272); },
       [](std::int64_t i) { return i / 272 % 8; }},
      {"batch_norm",
       "bn=train",
       {3, 8, 17, 16},
       [](std::int64_t i) { return i / 272 % 8; },
       [](std::int64_t i) { return i / 272 % 8; }}};
  return all;
}

struct RowSums {
  float sum = 0, squares = 0, n = 0;
};

// y and dgamma with the variance as E[x²] - mean².
Tensors one_pass(const Case& of, const Norm& norm) {
  const std::vector<float> x = of.inputs.at("x").floats(), gamma = of.inputs.at("gamma").floats(),
                           beta = of.inputs.at("beta").floats(), dy = of.inputs.at("dy").floats();
  const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  std::vector<RowSums> rows(x.size());
  for (std::int64_t i = 0; i < std::ssize(x); ++i) {
    RowSums& row = rows[at(norm.row(i))];
    row.sum += x[at(i)];
    row.squares += x[at(i)] * x[at(i)];
    row.n += 1;
  }
  std::vector<float> y, dgamma(gamma.size(), 0);
  const auto eps = static_cast<float>(of.context.attrs.number("eps"));
  for (std::int64_t i = 0; i < std::ssize(x); ++i) {
    const RowSums& row = rows[at(norm.row(i))];
    const float mean = row.sum / row.n, variance = row.squares / row.n - mean * mean;
    const float xhat = (x[at(i)] - mean) / std::sqrt(variance + eps);
    y.push_back(xhat * gamma[at(norm.parameter(i))] + beta[at(norm.parameter(i))]);
    dgamma[at(norm.parameter(i))] += dy[at(i)] * xhat;
  }
  return {{"y", Tensor::from(of.context.dtype_of("y"), norm.x, std::span<const float>(y))},
          {"dgamma", Tensor::from(DType::f32, of.inputs.at("gamma").shape(), std::span<const float>(dgamma))}};
}

TEST_P(HardNumerics, OnePassVarianceOfNormsFails) {
  for (const Norm& norm : norms()) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const std::string attributes = norm.attributes.empty() ? "" : "/" + norm.attributes;
      const Case of =
          case_with(norm.op + "/" + std::string(name_of(GetParam())) + "/x=" + to_text(norm.x) + attributes + "/random",
                    seed, {{"x", drawn(GetParam(), norm.x, "x", seed, ratio_of(GetParam()), 1)}});
      if (seed <= 3) expect_legal(of);
      expect_seen(of, one_pass(of, norm), "one-pass variance");
    }
  }
}

// x1 far from 0, x2 around 0; the lossy recipe of the op itself computes in one pass.
TEST_P(HardNumerics, OnePassVarianceOfASumFails) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Shape shape = {24, 96};
    const Case of = case_with("AddLayerNorm/" + std::string(name_of(GetParam())) + "/x1=24x96/random", seed,
                              {{"x1", drawn(GetParam(), shape, "x1", seed, ratio_of(GetParam()), 1)},
                               {"x2", drawn(GetParam(), shape, "x2", seed, 0, 0.5)}});
    if (seed <= 3) expect_legal(of);
    expect_seen(of, emulate(of, run::find_schedule(of.context, "one_pass", {}), of.inputs), "one-pass variance");
  }
}

// gamma between 8 and 24. y: x·rstd·gamma²; dx: that of dy·gamma².
TEST_P(HardNumerics, GammaCountedTwiceFails) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Case of = case_with("rms_norm/" + std::string(name_of(GetParam())) + "/x=24x96/random", seed,
                              {{"gamma", drawn(DType::f32, {96}, "gamma", seed, 16, 2)}});
    if (seed <= 3) expect_legal(of);
    Tensors twice = of.inputs;
    std::vector<double> squares = twice.at("gamma").doubles();
    for (double& value : squares) value *= value;
    twice["gamma"] = Tensor::from(DType::f32, {96}, std::span<const double>(squares));
    const Tensors outputs = emulate(of, run::find_schedule(of.context, "unfused", {}), twice);
    expect_seen(of, only(outputs, {"y"}), "gamma twice in y");
    expect_seen(of, only(outputs, {"dx"}), "gamma twice in dx");
  }
}

// Logits 200 apart: e^200 is no f32, and Inf/Inf no share.
TEST_P(HardNumerics, SoftmaxWithoutItsMaximumFails) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Case of = case_with("softmax/" + std::string(name_of(GetParam())) + "/x=24x96/stress", seed, {});
    if (seed <= 3) expect_legal(of);
    const std::vector<float> x = of.inputs.at("x").floats();
    std::vector<float> y;
    for (std::size_t row = 0; row < 24; ++row) {
      std::vector<float> e;
      float total = 0;
      for (std::size_t i = 0; i < 96; ++i) {
        e.push_back(static_cast<float>(evaluate(Function::exp, static_cast<double>(x[row * 96 + i]))));
        total += e.back();
      }
      for (const float value : e) y.push_back(value / total);
    }
    expect_seen(of, {{"y", Tensor::from(GetParam(), {24, 96}, std::span<const float>(y))}}, "no maximum subtracted");
  }
}

// 16,384 products around 1: one of them is 2^-14 of the sum, an eighth of an ULP in f16 and 2^-6 of one in bf16, where
// enough outputs have to show that some more than legal orders flip. The device is declared to round to nearest: on
// data of one sign a unit that cuts loses as much (NUMERICS.md J8).
TEST_P(HardNumerics, TheLastOfManyTermsIsMissed) {
  const Shape a = {GetParam() == DType::bf16 ? 64 : 16, 16384}, b = {16384, GetParam() == DType::bf16 ? 128 : 64};
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    CaseSpec spec = parse_case("matmul/" + std::string(name_of(GetParam())) + "/a=" + to_text(a) + ",b=" + to_text(b) +
                               "/n=" + std::to_string(b[1]) + "/random/fwd/model=ieee");
    spec.seed = seed;
    const Case of =
        make_case(spec, DataSet::random,
                  {{"a", drawn(GetParam(), a, "a", seed, 1, 0.25)}, {"b", drawn(GetParam(), b, "b", seed, 1, 0.25)}});
    if (seed == 1) expect_legal(of);
    Tensors shorter = of.inputs;
    std::vector<double> values = shorter.at("a").doubles();
    for (std::size_t row = 0; row < static_cast<std::size_t>(a[0]); ++row) values[row * 16384 + 16383] = 0;
    shorter["a"] = Tensor::from(GetParam(), a, std::span<const double>(values));
    expect_seen(of, emulate(of, run::find_schedule(of.context, "unfused", {}), shorter), "the last k dropped");
  }
}

// Exact data needs no declaration: there every legal accumulator, the truncating ones too, gives the same bits.
TEST_P(HardNumerics, TheLastOfManyTermsIsMissedByAnyAccumulatorOnExactData) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Case of =
        case_with("matmul/" + std::string(name_of(GetParam())) + "/a=8x16384,b=16384x16/n=16/exact/fwd", seed, {});
    Tensors shorter = of.inputs;
    std::vector<double> values = shorter.at("a").doubles();
    for (std::size_t row = 0; row < 8; ++row) values[row * 16384 + 16383] = 0;
    shorter["a"] = Tensor::from(GetParam(), {8, 16384}, std::span<const double>(values));
    for (const char* model : {"ieee", "mma:8,24", "mma:4,23"}) {
      const run::Schedule unfused = run::find_schedule(of.context, "unfused", {});
      const Tensors right = emulate(of, unfused, of.inputs, parse_model(model));
      EXPECT_EQ(name_of(kernel_status(check_kernel(of, right))), "pass") << model;
      expect_seen(of, emulate(of, unfused, shorter, parse_model(model)), std::string("the last k dropped, ") + model);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Type, HardNumerics, ::testing::Values(DType::f16, DType::bf16, DType::f32),
                         [](const auto& type) { return std::string(name_of(type.param)); });

}  // namespace
}  // namespace fusecheck::testing
