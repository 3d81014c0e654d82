// Devices whose division and square root err by an ULP, where f32 holds the result too, devices that flush
// (NUMERICS.md N12), and matrix units that shorten f32 operands (N7): legal, and no excuse for a wrong mask.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "case.hpp"
#include "precision_faults.hpp"

namespace fusecheck::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

Case case_of(const std::string& line, const Tensors& inputs = {}) {
  const CaseSpec spec = parse_case(line);
  return make_case(spec, spec.data.front(), inputs);
}

Tensor tensor(DType dtype, const Shape& shape, const std::vector<float>& values) {
  return Tensor::from(dtype, shape, std::span<const float>(values));
}

// The ULP of 2 is 2^-22.
TEST(Quotients, OneUlpOfAnExactQuotientIsLegal) {
  const Case of = case_of("div/f32/a=1x1/random", {{"a", tensor(DType::f32, {1, 1}, {6})},
                                                   {"b", tensor(DType::f32, {1, 1}, {3})},
                                                   {"dy", tensor(DType::f32, {1, 1}, {1})}});
  const auto check_y = [&](float y) { return check_kernel(of, {{"y", tensor(DType::f32, {1, 1}, {y})}}); };
  EXPECT_THAT(check_y(2).sets.front().explained_by, Contains("unfused"));
  for (const float y : {2 + 0x1p-22F, 2 - 0x1p-22F}) {
    const CheckReport report = check_y(y);
    EXPECT_THAT(report.sets.front().explained_by, Contains("unfused with rounded quotients"));
    EXPECT_THAT(report.sets.front().notes, Contains(HasSubstr("division or square root that errs")));
    EXPECT_NE(kernel_status(report), Status::fail);
  }
  EXPECT_EQ(kernel_status(check_y(2 + 0x1p-21F)), Status::fail);
}

// e^-90 = 8.2e-40 is subnormal in f32, e^-80 = 1.8e-35 is not.
TEST(Subnormals, MayBeFlushed) {
  const auto check_y = [](float x, float y) {
    const Case of = case_of("softmax/f32/x=1x2/random", {{"x", tensor(DType::f32, {1, 2}, {0, x})}});
    return check_kernel(of, {{"y", tensor(DType::f32, {1, 2}, {1, y})}});
  };
  EXPECT_THAT(check_y(-90, 8.194013e-40F).sets.front().explained_by, Contains("unfused"));
  const CheckReport flushed = check_y(-90, 0);
  EXPECT_THAT(flushed.sets.front().explained_by, Contains("unfused with subnormals flushed"));
  EXPECT_THAT(flushed.sets.front().notes, Contains(HasSubstr("--model ieee/flush")));
  EXPECT_NE(kernel_status(flushed), Status::fail);
  EXPECT_EQ(kernel_status(check_y(-90, 4e-40F)), Status::fail);
  EXPECT_EQ(kernel_status(check_y(-80, 0)), Status::fail);
}

class QuotientsOf : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Type, QuotientsOf, ::testing::Values("f16", "bf16", "f32"));

// 1/sqrt of 4^k·(1 + 2^-22) is 2^-k·(1 - 2^-23): a kernel that reads such a variance is one whose rstd is an ULP off.
TEST_P(QuotientsOf, ARootThatErsPassesOnExactData) {
  for (const char* recipe : {"epilogue", "fold", "unfused"}) {
    const Case of = case_of("ConvBnRelu/" + GetParam() + "/x=2x8x7x7/exact");
    std::vector<float> var = of.inputs.at("var").floats();
    const auto eps = static_cast<float>(of.context.attrs.number("eps"));
    for (float& v : var) v = (v + eps) * (1 + 0x1p-22F) - eps;
    Tensors inputs = of.inputs;
    inputs["var"] = tensor(DType::f32, {8}, var);
    const Tensors outputs = emulate(of, run::find_schedule(of.context, recipe, {}), inputs);
    const CheckReport report = check_kernel(of, outputs);
    EXPECT_EQ(kernel_status(report), Status::pass) << recipe << ": " << failures(report);
  }
}

// x = (1, 1) and (2, 1) in two channels, w = 1, -1: z = 0 and 1. Where the mask is z >= 0, dbeta is 2 and not 1. Were
// W' rounded with an rstd that errs, z would be near 0 for a sum of products that cancel; but then y would show it.
TEST_P(QuotientsOf, AnErringRootExcusesNoMask) {
  const DType dtype = parse_dtype(GetParam());
  const auto vector = [](float value) { return tensor(DType::f32, {1}, {value}); };
  const Case of = case_of("ConvBnRelu/" + GetParam() + "/x=1x2x1x2/eps=0.25,kernel=1,oc=1/random",
                          {{"x", tensor(dtype, {1, 2, 1, 2}, {1, 2, 1, 1})},
                           {"w", tensor(dtype, {1, 2, 1, 1}, {1, -1})},
                           {"dy", tensor(dtype, {1, 1, 1, 2}, {1, 1})},
                           {"gamma", vector(1)},
                           {"beta", vector(0)},
                           {"mean", vector(0)},
                           {"var", vector(0.75F)}});
  const Tensor y = tensor(dtype, {1, 1, 1, 2}, {0, 1});
  EXPECT_NE(kernel_status(check_kernel(of, {{"y", y}, {"dbeta", vector(1)}})), Status::fail);
  EXPECT_EQ(kernel_status(check_kernel(of, {{"y", y}, {"dbeta", vector(2)}})), Status::fail);
}

// z = gamma·rstd·(conv - mean) + beta of drawn exact data is 0 in channels 1, 5, 9 ... alone, whose mean and beta are
// 0.
TEST(Quotients, OfExactDataMoveNoZero) {
  const Case of = case_of("ConvBn/f32/x=2x8x9x9/kernel=1/exact");
  const auto floats = [&](const char* name) { return of.inputs.at(name).floats(); };
  const std::vector<float> x = floats("x"), w = floats("w"), gamma = floats("gamma"), beta = floats("beta");
  const std::vector<float> mean = floats("mean"), var = floats("var");
  const auto eps = static_cast<float>(of.context.attrs.number("eps"));
  std::set<std::size_t> channels;
  constexpr std::size_t c = 8, pixels = 81;
  for (std::size_t n = 0; n < 2; ++n) {
    for (std::size_t o = 0; o < c; ++o) {
      for (std::size_t p = 0; p < pixels; ++p) {
        float conv = 0;
        for (std::size_t i = 0; i < c; ++i) conv += x[(n * c + i) * pixels + p] * w[o * c + i];
        if (gamma[o] * (conv - mean[o]) / std::sqrt(var[o] + eps) + beta[o] == 0) channels.insert(o);
      }
    }
  }
  EXPECT_EQ(channels, (std::set<std::size_t>{1, 5}));
}

// Eleven stored fraction bits, ties away from zero: 12 of f32's 23 are dropped.
double to_hf32(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return static_cast<double>(std::bit_cast<float>((bits + 0x800) & ~0xfffU));
}

// Operands in HF32 explain a kernel if the model says so, and then no fewer bits do. For each, dy is what that model
// leaves of it where a sign is open.
TEST(MatrixUnitOperands, AreDeclaredByTheModel) {
  const auto status = [](const char* model, double (*format)(double)) {
    CaseSpec spec = parse_case("ConvRelu/f32/x=2x16x9x9/random");
    spec.model = parse_model(model);
    const Case of = make_case(spec, DataSet::random);
    const run::Schedule epilogue = run::find_schedule(of.context, "epilogue", {});
    return kernel_status(check_kernel(of, emulate(of, epilogue, rounded_operands(of, format))));
  };
  EXPECT_EQ(status("ieee/operands:hf32", to_hf32), Status::pass);
  EXPECT_EQ(status("ieee/operands:hf32", to_tf32), Status::fail);
  EXPECT_EQ(status("ieee/operands:tf32", to_hf32), Status::fail);
  EXPECT_EQ(status("ieee", to_hf32), Status::fail);
}

TEST(MatrixUnitOperands, AreOfferedWhereAKernelFails) {
  const Case of = case_of("ConvRelu/f32/x=2x16x9x9/random");
  const run::Schedule epilogue = run::find_schedule(of.context, "epilogue", {});
  const CheckReport report = check_kernel(of, emulate(of, epilogue, rounded_operands(of, to_hf32)));
  ASSERT_FALSE(report.sets.front().nearest.empty());
  EXPECT_EQ(report.sets.front().nearest.front().outside, 0);
  EXPECT_EQ(report.sets.front().nearest.front().declare, "--recipe epilogue --model ieee/operands:hf32");
}

}  // namespace
}  // namespace fusecheck::testing
