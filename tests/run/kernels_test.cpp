// Rounding points of both interpreters, and what a numeric model changes in the emulation.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "run/emulated_kernel.hpp"
#include "run/real_kernel.hpp"

namespace fusecheck::run {
namespace {

using List = std::vector<double>;
using Floats = std::vector<float>;
constexpr double kInf = std::numeric_limits<double>::infinity();

Context context_of(DType dtype) {
  CaseSpec spec;
  spec.op = "ConvRelu";
  spec.dtype = dtype;
  spec.shapes["x"] = {1, 1, 1, 1};
  return make_context(spec);
}

Value value_of(const List& low, const List& v, const List& high) {
  Real real;
  real.v = share(v);
  real.low = share(low);
  real.high = share(high);
  return {{static_cast<std::int64_t>(v.size())}, std::make_shared<const Real>(std::move(real))};
}

struct Truth {
  Context context;
  Schedule schedule = {};
  TruthOptions options = {};
  Memo memo{engine::Execution{}};
  RealKernel kernel{context, schedule, options, memo};
};

// Every value of [1.0001, 1.0002] is nearer to 1 than to 1 + 2^-10 = 1.00098: no choice is left.
TEST(RealKernel, ARoundingSharpens) {
  Truth truth{context_of(DType::f16)};
  const Real y = RealKernel::real(truth.kernel.store("y", value_of({1.0001}, {1.00015}, {1.0002})));
  EXPECT_TRUE(y.exact());
  EXPECT_EQ((*y.v)[0], 1);
  ASSERT_NE(y.before, nullptr);
  EXPECT_EQ((*y.before->v)[0], 1.00015);
}

// The tie 1 + 2^-11 lies inside: both neighbours are legal.
TEST(RealKernel, ARoundingLeavesBothNeighboursOfATie) {
  Truth truth{context_of(DType::f16)};
  const Real y =
      RealKernel::real(truth.kernel.store("y", value_of({1 + 0x1p-12}, {1 + 0x1p-11 + 0x1p-14}, {1 + 0x1p-10})));
  EXPECT_EQ((*y.v)[0], 1 + 0x1p-10);
  EXPECT_EQ(y.lows()[0], 1);
  EXPECT_EQ(y.highs()[0], 1 + 0x1p-10);
}

TEST(RealKernel, ASaturatingStoreLeavesEverythingAmbiguous) {
  Truth truth{context_of(DType::f16), {}, {.declared = parse_model("ieee/saturate")}};
  const Real y = RealKernel::real(truth.kernel.store("y", value_of({-kInf, 7e4}, {1, 8e4}, {kInf, 9e4})));
  EXPECT_EQ(y.lows(), (List{-kInf, 65504}));
  EXPECT_EQ(y.highs(), (List{kInf, 65504}));
}

TEST(RealKernel, EitherIsTheHullOfBoth) {
  Truth truth{context_of(DType::f16)};
  const Value usual = value_of({1}, {2}, {3});
  const Real hull = RealKernel::real(truth.kernel.either(usual, value_of({2}, {4}, {5})));
  EXPECT_EQ((*hull.v)[0], 2);
  EXPECT_EQ(hull.lows()[0], 1);
  EXPECT_EQ(hull.highs()[0], 5);
  const Value exact = truth.kernel.load({1}, {7});
  EXPECT_TRUE(RealKernel::real(truth.kernel.either(exact, truth.kernel.load({1}, {7}))).exact());
}

// Flush: a subnormal f32 result may be 0 or, where the operation is fused with the next, itself.
TEST(RealKernel, AFlushingModelAdmitsZero) {
  Truth truth{context_of(DType::f32), {}, {.declared = parse_model("ieee/flush")}};
  const Real y = RealKernel::real(truth.kernel.relu(truth.kernel.load({3}, {0x1p-130, 0x1p-126, -1})));
  EXPECT_EQ(y.lows(), (List{0, 0x1p-126, 0}));
  EXPECT_EQ(y.highs(), (List{0x1p-130, 0x1p-126, 0}));
  Truth keeps{context_of(DType::f32)};
  EXPECT_TRUE(RealKernel::real(keeps.kernel.relu(keeps.kernel.load({1}, {0x1p-130}))).exact());
}

// 1 + 2 + 3 = 6 and 10 per row; integers are exact in any order.
TEST(RealKernel, SumOverAnAxis) {
  Truth truth{context_of(DType::f32)};
  const Value sum = truth.kernel.sum(truth.kernel.load({2, 3}, {1, 2, 3, 2, 3, 5}), {1});
  EXPECT_EQ(sum.shape, (Shape{2, 1}));
  EXPECT_EQ(*RealKernel::real(sum).v, (List{6, 10}));
  EXPECT_TRUE(RealKernel::real(sum).exact());
}

// n = 3, c = min(3, 8) = 3, S = 6 + 0.5 of width: 0.5 + 3·2^-24·6.5 at least.
TEST(RealKernel, SumInheritsWidths) {
  Truth truth{context_of(DType::f32)};
  Value x = value_of({0.5, 2, 3}, {1, 2, 3}, {1.5, 2, 3});
  const double half = half_widths(RealKernel::real(truth.kernel.sum(x, {0})))[0];
  EXPECT_GE(half, 0.5 + 3 * 6.5 * 0x1p-24);
  EXPECT_LE(half, 0.5 + 3 * 6.5 * 0x1p-24 * (1 + 1e-6));
}

struct Emulation {
  Context context;
  NumericModel model = {};
  Schedule schedule = {};
  EmulatedMemo memo{engine::Execution{}};
  EmulatedKernel kernel{context, schedule, model, memo};
  Floats stored(const Floats& x) {
    return EmulatedKernel::floats(kernel.store("y", kernel.load({static_cast<std::int64_t>(x.size())}, x)));
  }
};

// 1 + 3·2^-12 is nearer to 1 + 2^-10 than to 1.
TEST(EmulatedKernel, StoreRules) {
  const Floats x = {1 + 3 * 0x1p-12F, 70000};
  EXPECT_EQ((Emulation{context_of(DType::f16)}.stored(x)), (Floats{1 + 0x1p-10F, static_cast<float>(kInf)}));
  EXPECT_EQ((Emulation{context_of(DType::f16), parse_model("ieee/saturate")}.stored(x)),
            (Floats{1 + 0x1p-10F, 65504}));
  EXPECT_EQ((Emulation{context_of(DType::f16), parse_model("ieee/store:toward_zero")}.stored({1 + 3 * 0x1p-12F})),
            Floats{1});
}

// f16 holds even numbers only from 2048: 2048 + 1 ties to 2048, twice. f32 gives 2050.
TEST(EmulatedKernel, F16AccumulationLosesWhatF32Keeps) {
  const auto convolution = [](NumericModel model) {
    Emulation emulation{context_of(DType::f16), std::move(model)};
    const Value x = emulation.kernel.load({1, 3, 1, 1}, {2048, 1, 1});
    const Value w = emulation.kernel.load({1, 3, 1, 1}, {1, 1, 1});
    return EmulatedKernel::floats(emulation.kernel.conv2d(x, w, {}, {}));
  };
  EXPECT_EQ(convolution({}), Floats{2050});
  EXPECT_EQ(convolution(parse_model("fp16-accumulate")), Floats{2048});
}

TEST(EmulatedKernel, FlushMakesZeroOfSubnormalResults) {
  const auto half_of = [](NumericModel model) {
    Emulation emulation{context_of(DType::f32), std::move(model)};
    const Value x = emulation.kernel.load({2}, {0x1p-126F, -0x1p-125F});
    return EmulatedKernel::floats(emulation.kernel.mul(x, emulation.kernel.constant(0.5)));
  };
  EXPECT_EQ(half_of({}), (Floats{0x1p-127F, -0x1p-126F}));
  EXPECT_EQ(half_of(parse_model("ieee/flush")), (Floats{0, -0x1p-126F}));
}

// A matrix unit's truncation does not reach reductions: 2^24 + 1 + 1 in order is 2^24 to nearest even, twice.
TEST(EmulatedKernel, ReductionsAreNotAMatrixUnits) {
  Emulation emulation{context_of(DType::f16), parse_model("mma:8,24")};
  const Value x = emulation.kernel.load({3}, {0x1p24F, 1, 1});
  EXPECT_EQ(EmulatedKernel::floats(emulation.kernel.sum(x, {0})), Floats{0x1p24F});
}

TEST(EmulatedKernel, PointsRoundAsTheScheduleSays) {
  Emulation emulation{context_of(DType::f16)};
  const Value x = emulation.kernel.load({1}, {1 + 0x1p-12F});
  const auto at = [&](const Value& value) { return EmulatedKernel::floats(value)[0]; };
  EXPECT_EQ(at(emulation.kernel.round("conv", x)), 1 + 0x1p-12F);  // kept
  EXPECT_EQ(at(emulation.kernel.operand("dconv", x)), 1);          // a contraction's operand is f16
  emulation.schedule.points = {{"conv", DType::f16}, {"dconv", std::nullopt}};
  EXPECT_EQ(at(emulation.kernel.round("conv", x)), 1);
  EXPECT_EQ(at(emulation.kernel.operand("dconv", x)), 1 + 0x1p-12F);
}

}  // namespace
}  // namespace fusecheck::run
