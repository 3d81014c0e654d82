// Single steps of the pipeline on hand-made cases: kinks (J9), recipe against body (J2), gradients against differences
// (J13).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "check/stage.hpp"
#include "fusecheck/registry.hpp"

namespace fusecheck {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using List = std::vector<double>;

// Everything that a stage refers to.
struct Bench {
  CheckRequest request;
  run::Context context;
  run::Memo memo{engine::Execution{}};
  DataSetReport report;
  Stage stage{request, context, {}, {}, memo, report};

  Bench(const CaseSpec& spec, const std::map<std::string, List>& given) : context(run::make_context(spec)) {
    request.spec = spec;
    Tensors tensors;
    for (const auto& [name, values] : given) {
      tensors[name] = Tensor::from(context.dtype_of(name), context.shapes.at(name), std::span<const double>(values));
    }
    stage.inputs = run::draw_inputs(context, DataSet::random, spec.seed, spec.dy_ones, tensors);
    stage.loaded = run::load(stage.inputs);
  }
};

// Four pixels of three channels, one 1x1 filter w = (1, 1, 2^-14). The sums are
//   2^-38 (1 - 1 + 2^-24·2^-14)   2   -2   0 (1 - 1)
// with Σ|terms| = 2 and n = 3: within 3·2^-24·2 the sign of the first and the last is not certain. f32 does not hold
// all sums exactly, 2 being 2^39 steps of 2^-38.
const std::map<std::string, List> straddling = {{"x", {1, 1, -1, 1, -1, 1, -1, -1, 0x1p-24, 0, 0, 0}},
                                                {"w", {1, 1, 0x1p-14}}};

CaseSpec four_pixels() {
  CaseSpec spec;
  spec.op = "ConvRelu";
  spec.shapes = {{"x", {1, 3, 1, 4}}};
  spec.attrs.set("oc", {1});
  spec.attrs.set("kernel", {1});
  spec.dy_ones = true;
  return spec;
}

TEST(Kinks, DyIsZeroWhereTheSignIsNotCertain) {
  Bench bench(four_pixels(), straddling);
  zero_kinks(bench.stage, false, {});
  EXPECT_THAT(bench.stage.inputs.at("dy").doubles(), ElementsAre(0, 1, 1, 0));
  EXPECT_EQ(*bench.stage.loaded.tensors.at("dy").second.v, (List{0, 1, 1, 0}));
  EXPECT_EQ(bench.report.kinks_zeroed, 2);
  EXPECT_EQ(bench.report.kinks_total, 4);
  ASSERT_EQ(bench.report.notes.size(), 1u);  // 2 of 4 is more than 5 %
  EXPECT_THAT(bench.report.notes[0], HasSubstr("dy is 0 at 2 of 4"));
}

TEST(Kinks, AUsersDyStaysAndIsCounted) {
  std::map<std::string, List> given = straddling;
  given["dy"] = {3, 4, 5, 6};
  Bench bench(four_pixels(), given);
  zero_kinks(bench.stage, true, {});
  EXPECT_THAT(bench.stage.inputs.at("dy").doubles(), ElementsAre(3, 4, 5, 6));
  EXPECT_EQ(bench.report.kinks_zeroed, 2);
  ASSERT_EQ(bench.report.notes.size(), 1u);
  EXPECT_THAT(bench.report.notes[0], HasSubstr("dy is yours"));
}

// The same sums with w = (1, 1, 1) and no small terms are exact: 0 is 0 in every order, and its derivative is 0.
TEST(Kinks, AnExactZeroKeepsItsDy) {
  Bench bench(four_pixels(), {{"x", {1, 1, -1, 1, -1, 1, -1, -1, 0, 0, 0, 0}}, {"w", {1, 1, 1}}});
  zero_kinks(bench.stage, false, {});
  EXPECT_THAT(bench.stage.inputs.at("dy").doubles(), ElementsAre(1, 1, 1, 1));
  EXPECT_EQ(bench.report.kinks_zeroed, 0);
}

CaseSpec plain_relu() {
  CaseSpec spec;
  spec.op = "relu";
  spec.dtype = DType::f32;
  spec.shapes = {{"x", {8, 8}}};
  return spec;
}

double gradient_check_of(Bench& bench) {
  check_gradients(bench.stage, 1);
  return bench.report.gradient_check;
}

// relu whose backward is `factor` times the right one.
OpDef relu_with_gradient_times(double factor) {
  OpDef op = find_op("relu");
  op.backward = [factor](Kernel& k, Io& io) { io.out("dx", k.mul(k.mul(io["dy"], io["mask"]), k.constant(factor))); };
  return op;
}

TEST(Gradients, OfReluAgreeWithDifferences) {
  Bench bench(plain_relu(), {});
  EXPECT_LE(gradient_check_of(bench), 1e-8);
  EXPECT_GE(bench.report.gradient_check, 0);
}

TEST(Gradients, AWrongOneIsFound) {
  OpDef unmasked = find_op("relu");
  unmasked.backward = [](Kernel&, Io& io) { io.out("dx", io["dy"]); };
  for (const OpDef& op : {relu_with_gradient_times(1 + 0x1p-18), relu_with_gradient_times(-1), unmasked}) {
    Bench bench(plain_relu(), {});
    bench.context.op = &op;
    EXPECT_GT(gradient_check_of(bench), 1e-8);
  }
}

// At x = 0 the two sides of the difference have different masks. What is left, x = 3, still finds a wrong gradient.
TEST(Gradients, ElementsOnAKinkAreLeftOut) {
  List x(64, 0);
  for (std::size_t i = 0; i < 32; ++i) x[i] = 3;
  Bench bench(plain_relu(), {{"x", x}});
  EXPECT_LE(gradient_check_of(bench), 1e-8);
  const OpDef wrong = relu_with_gradient_times(1 + 0x1p-18);
  Bench planted(plain_relu(), {{"x", x}});
  planted.context.op = &wrong;
  EXPECT_GT(gradient_check_of(planted), 1e-8);
}

// 1/sqrt(-1 + eps) is no number: nothing to compare, and it says so.
TEST(Gradients, ThatAreNotFiniteAreNotCompared) {
  CaseSpec spec;
  spec.op = "batch_norm";
  spec.dtype = DType::f32;
  spec.shapes = {{"x", {2, 1}}};
  Bench bench(spec, {{"var", {-1}}});
  EXPECT_EQ(gradient_check_of(bench), -1);
  EXPECT_THAT(bench.report.notes, ElementsAre(HasSubstr("not finite")));
}

struct Budget {
  Bench bench{four_pixels(), straddling};
  run::Schedule schedule = run::find_schedule(bench.context, "epilogue", {});
  run::TruthRun truth = run::run_truth(bench.context, schedule, bench.stage.loaded, {}, bench.memo, true);
  Judgement check() {
    bench.report.outputs.push_back({});
    bench.report.outputs[0].candidate = "fused";
    bench.report.outputs[0].output = "y";
    check_budget(bench.stage, schedule, truth);
    return bench.report.outputs[0].judgement;
  }
};

TEST(RecipeAgainstBody, AgreesWithinItsBudget) { EXPECT_EQ(Budget().check().status, Status::pass); }

// The second pixel is 2, u·S = 2^-11·2: off by 2^-8 is 4 units, the budget is 1.
TEST(RecipeAgainstBody, BeyondTheBudgetFails) {
  Budget budget;
  budget.truth.outputs.at("y").exact[1] += 0x1p-8;
  EXPECT_EQ(budget.check().status, Status::fail);
  EXPECT_NEAR(budget.bench.report.to_body.at("y"), 4, 1e-4);
}

// A user's tensors may be where a recipe is ill-conditioned: that is said, and no verdict.
TEST(RecipeAgainstBody, BeyondTheBudgetOnGivenTensorsIsANote) {
  Budget budget;
  budget.bench.request.inputs["x"] = budget.bench.stage.inputs.at("x");
  budget.truth.outputs.at("y").exact[1] += 0x1p-8;
  EXPECT_EQ(budget.check().status, Status::pass);
  EXPECT_THAT(budget.bench.report.notes, ElementsAre(HasSubstr("on these inputs y of recipe epilogue is 3.9999")));
}

TEST(RecipeAgainstBody, NanFails) {
  Budget budget;
  budget.truth.outputs.at("y").exact[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(budget.check().status, Status::fail);
}

}  // namespace
}  // namespace fusecheck
