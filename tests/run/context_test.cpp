// A case made definite: storage types (J1), shapes, schedules, drawn data (J10).
#include "run/context.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/expect_error.hpp"

namespace fusecheck::run {
namespace {

using testing::expect_error;
using ::testing::HasSubstr;

CaseSpec case_of(const std::string& op, DType dtype = DType::f16) {
  CaseSpec spec;
  spec.op = op;
  spec.dtype = dtype;
  spec.shapes["x"] = {2, 3, 5, 6};
  return spec;
}

void expect_refusal(const CaseSpec& spec, const std::string& message) {
  expect_error(ErrorKind::usage, HasSubstr(message), [&] { make_context(spec); });
}

TEST(Context, StorageTypes) {
  CaseSpec spec = case_of("ConvBnRelu", DType::bf16);
  spec.bias = true;
  Context context = make_context(spec);
  for (const char* name : {"x", "w", "y", "dx", "dw", "dy", "conv"}) EXPECT_EQ(context.dtype_of(name), DType::bf16);
  for (const char* name : {"b", "gamma", "var", "db", "dgamma"}) EXPECT_EQ(context.dtype_of(name), DType::f32);
  EXPECT_EQ(context.dtype_of("mask"), DType::boolean);

  spec.param_dtype = DType::bf16;
  spec.tensor_dtypes["gamma"] = DType::f16;
  spec.tensor_dtypes["dw"] = DType::f32;
  context = make_context(spec);
  EXPECT_EQ(context.dtype_of("beta"), DType::bf16);
  EXPECT_EQ(context.dtype_of("gamma"), DType::f16);
  EXPECT_EQ(context.dtype_of("dgamma"), DType::f16);
  EXPECT_EQ(context.dtype_of("w"), DType::bf16);
  EXPECT_EQ(context.dtype_of("dw"), DType::f32);
}

// A framework with parameters of 16 bits saves its statistics in f32 all the same.
TEST(Context, SavedStatisticsDoNotFollowTheParameters) {
  CaseSpec spec = case_of("ConvBnRelu");
  spec.attrs.set("bn", {1});
  spec.param_dtype = DType::f16;
  EXPECT_EQ(make_context(spec).dtype_of("saved_mean"), DType::f32);
  EXPECT_EQ(make_context(spec).dtype_of("gamma"), DType::f16);
  EXPECT_EQ(make_context(spec).dtype_of("running_mean"), DType::f16);
  spec.tensor_dtypes["saved_mean"] = DType::f16;
  EXPECT_EQ(make_context(spec).dtype_of("saved_mean"), DType::f16);
}

TEST(Context, OutputNamesFollowModeAndDirection) {
  using Names = std::vector<std::string>;
  CaseSpec spec = case_of("ConvBn");
  EXPECT_EQ(make_context(spec).output_names(), (Names{"y", "dx", "dw", "dgamma", "dbeta"}));
  spec.attrs.set("bn", {1});
  spec.bias = true;
  spec.passes = Passes::forward;
  EXPECT_EQ(make_context(spec).output_names(), (Names{"y", "running_mean", "running_var"}));
  spec.passes = Passes::backward;
  EXPECT_EQ(make_context(spec).output_names(), (Names{"dx", "dw", "db", "dgamma", "dbeta"}));
}

TEST(Context, Refusals) {
  CaseSpec spec = case_of("ConvRelu");
  spec.shapes.clear();
  expect_refusal(spec, "needs --shape");
  expect_refusal(case_of("ConvRelu", DType::f64), "f16, bf16 or f32");
  spec = case_of("ConvRelu");
  spec.tensor_dtypes["gama"] = DType::f16;
  expect_refusal(spec, "tensor 'gama'");
  spec.tensor_dtypes = {{"x", DType::i32}};
  expect_refusal(spec, "only floating types");
  spec.tensor_dtypes = {{"x", DType::f64}};
  expect_refusal(spec, "f64");
  spec = case_of("ConvRelu");
  spec.shapes["gamma"] = {3};
  expect_refusal(spec, "tensor 'gamma'");
}

std::vector<std::string> schedule_names(bool training, bool lossy) {
  CaseSpec spec = case_of("ConvBnRelu");
  if (training) spec.attrs.set("bn", {1});
  std::vector<std::string> names;
  for (const Schedule& schedule : schedules_of(make_context(spec), lossy)) names.push_back(schedule.name);
  return names;
}

TEST(Schedules, OfEachMode) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(schedule_names(false, true),
            (Names{"epilogue", "fold", "conv_stored", "dconv_stored", "conv_saved", "unfused"}));
  EXPECT_EQ(schedule_names(true, false), (Names{"epilogue", "conv_stored", "unfused"}));
  EXPECT_EQ(schedule_names(true, true), (Names{"epilogue", "conv_stored", "one_pass", "unfused"}));
}

// A framework stores each gradient of an input that it adds up, a product that accumulates keeps them.
TEST(Schedules, GradientsThatAddUpAreStoredOrKept) {
  CaseSpec spec;
  spec.op = "body";
  spec.body = "h = matmul(x, w1, n=2); g = matmul(x, w2, n=2); y = mul(h, g)";
  spec.shapes["x"] = {2, 3};
  const auto names = [&] {
    std::vector<std::string> list;
    for (const Schedule& schedule : schedules_of(make_context(spec), false)) list.push_back(schedule.name);
    return list;
  };
  EXPECT_EQ(names(), (std::vector<std::string>{"fused", "unfused dx_part=keep", "unfused"}));
  spec.tensor_dtypes["dx"] = DType::f32;
  const Schedule unfused = find_schedule(make_context(spec), "unfused", {});
  EXPECT_EQ(unfused.points.at("dx_part"), DType::f32);
  spec.passes = Passes::forward;
  EXPECT_EQ(names(), (std::vector<std::string>{"fused", "unfused"}));
}

// What reads its own output may compute it again: sqrt' = 1/(2y) does, relu has its mask. In f32 it is the same.
TEST(Schedules, RecomputeWhereABackwardReadsAnOutput) {
  const auto names = [](const char* op, DType dtype, Passes passes) {
    CaseSpec spec;
    spec.op = op;
    spec.dtype = dtype;
    spec.passes = passes;
    spec.shapes["x"] = {2, 3};
    std::vector<std::string> list;
    for (const Schedule& schedule : schedules_of(make_context(spec), false)) list.push_back(schedule.name);
    return list;
  };
  using Names = std::vector<std::string>;
  for (const char* op : {"sqrt", "exp", "sigmoid", "tanh", "softmax", "log_softmax"}) {
    EXPECT_EQ(names(op, DType::f16, Passes::both), (Names{"unfused", "recompute"})) << op;
  }
  EXPECT_EQ(names("relu", DType::f16, Passes::both), Names{"unfused"});
  EXPECT_EQ(names("sqrt", DType::f32, Passes::both), Names{"unfused"});
  EXPECT_EQ(names("sqrt", DType::bf16, Passes::forward), Names{"unfused"});
  CaseSpec spec;
  spec.op = "body";
  spec.body = "y = sigmoid(x)*tanh(x)";
  spec.shapes["x"] = {2, 3};
  Names list;
  for (const Schedule& schedule : schedules_of(make_context(spec), false)) list.push_back(schedule.name);
  EXPECT_EQ(list, (Names{"fused", "unfused dx_part=keep", "unfused", "recompute dx_part=keep", "recompute"}));
}

TEST(Schedules, Refusals) {
  CaseSpec spec = case_of("ConvBnRelu");
  spec.attrs.set("bn", {1});
  const Context training = make_context(spec);
  const auto refuses = [&](const std::string& recipe, const std::string& point, const std::string& to,
                           const std::string& message) {
    expect_error(ErrorKind::usage, HasSubstr(message), [&] {
      find_schedule(training, recipe, point.empty() ? decltype(spec.rounds){} : decltype(spec.rounds){{point, to}});
    });
  };
  refuses("fold", "", "", "not for --bn train");
  refuses("epilog", "", "", "Did you mean 'epilogue'?");
  refuses("epilogue", "dcovn", "f16", "Did you mean 'dconv'?");
  refuses("epilogue", "bn", "i32", "not a floating type");
  refuses("epilogue", "w_folded", "f16",
          "recipe epilogue of ConvBnRelu has no rounding point 'w_folded', but bn, dconv");
  refuses("conv_stored", "dz", "f16", "has no rounding point 'dz', but bn, dconv");
}

TEST(Schedules, RoundsChangePoints) {
  const Context context = make_context(case_of("ConvBnRelu", DType::bf16));
  const Schedule schedule = find_schedule(context, "", {{"conv", "storage"}, {"bn", "f16"}, {"dconv", "keep"}});
  EXPECT_EQ(schedule.name, "epilogue bn=f16 conv=storage dconv=keep");
  EXPECT_EQ(schedule.points.at("conv"), DType::bf16);
  EXPECT_EQ(schedule.points.at("bn"), DType::f16);
  EXPECT_EQ(schedule.points.at("dconv"), std::nullopt);
}

TEST(Draw, TheSameSeedGivesTheSameBytes) {
  const Context context = make_context(case_of("ConvBnRelu"));
  const Tensors a = draw_inputs(context, DataSet::random, 7, false, {});
  const Tensors b = draw_inputs(context, DataSet::random, 7, false, {});
  const Tensors c = draw_inputs(context, DataSet::random, 8, false, {});
  for (const auto& [name, tensor] : a) {
    EXPECT_EQ(sha256(tensor), sha256(b.at(name))) << name;
    EXPECT_NE(sha256(tensor), sha256(c.at(name))) << name;
  }
  EXPECT_NE(a.at("x").at(0), a.at("dy").at(0));
}

// J10: integers; var = 4^k - eps with eps = 2^-10 (f16) or 2^-7 (bf16), so that sqrt(var + eps) is 0.5, 1 or 2; beta a
// quarter more than an integer, but 0 in channels 1, 5, 9 ...
TEST(Draw, ExactData) {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const Context context = make_context(case_of("ConvBnRelu", dtype), true);
    const double eps = context.attrs.number("eps");
    EXPECT_EQ(eps, dtype == DType::bf16 ? 0x1p-7 : 0x1p-10);
    for (const auto& [name, tensor] : draw_inputs(context, DataSet::exact, 1, false, {})) {
      const bool is_dy = name == "dy";
      for (std::int64_t i = 0; i < tensor.size(); ++i) {
        const double value = tensor.at(i);
        if (name == "var") {
          EXPECT_EQ(value + eps, i % 3 == 0 ? 0.25 : i % 3 == 1 ? 1 : 4);
        } else {
          const double quarter = name == "beta" && i % 4 != 1 ? 0.25 : 0;
          EXPECT_EQ(value, std::floor(value) + quarter) << name;
          EXPECT_LE(std::fabs(value), 3 + quarter) << name;
          EXPECT_FALSE(is_dy && value == 0);
        }
      }
    }
  }
}

TEST(Draw, GivenTensorsReplaceDrawnOnes) {
  CaseSpec spec = case_of("ConvRelu");
  const Tensor x(DType::f16, {2, 3, 5, 6});
  EXPECT_EQ(draw_inputs(make_context(spec), DataSet::random, 1, false, {{"x", x}}).at("x").at(17), 0);
  EXPECT_EQ(draw_inputs(make_context(spec), DataSet::random, 1, true, {}).at("dy").at(17), 1);
}

void expect_given_refused(Passes passes, const std::string& name, const Tensor& tensor, const std::string& message) {
  CaseSpec spec = case_of("ConvRelu");
  spec.passes = passes;
  const Context context = make_context(spec);
  expect_error(ErrorKind::usage, HasSubstr(message), [&] {
    draw_inputs(context, DataSet::random, 1, false, {{name, tensor}});
  });
}

// A given y or mask would be what the forward is compared with.
TEST(Draw, GivenTensorsThatAreNoInputs) {
  const Tensor y(DType::f16, {2, 3, 5, 6});
  const Tensor mask(DType::boolean, {2, 3, 5, 6});
  expect_given_refused(Passes::both, "y", y, "takes no such tensor");
  expect_given_refused(Passes::both, "dx", y, "takes no such tensor");
  expect_given_refused(Passes::both, "mask", mask, "--direction bwd only");
  expect_given_refused(Passes::both, "x", Tensor(DType::f16, {2, 3, 5, 5}), "shape 2x3x5x5");
  expect_given_refused(Passes::both, "x", Tensor(DType::f32, {2, 3, 5, 6}), "is f32, the case says f16");
  CaseSpec spec = case_of("ConvRelu");
  spec.passes = Passes::backward;
  EXPECT_TRUE(draw_inputs(make_context(spec), DataSet::random, 1, false, {{"mask", mask}}).contains("mask"));
}

}  // namespace
}  // namespace fusecheck::run
