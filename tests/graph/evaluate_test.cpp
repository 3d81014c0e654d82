// Gradients of a body where one edge feeds two nodes, and saved tensors that the user gives.
#include "graph/evaluate.hpp"

#include <gtest/gtest.h>

#include "fusecheck/registry.hpp"
#include "run/context.hpp"
#include "run/emulated_kernel.hpp"

namespace fusecheck::graph {
namespace {

using run::EmulatedKernel;
using Floats = std::vector<float>;

// a = relu(x); y = a + a: y = 2x and dx = 2·dy where x > 0.
struct Doubled {
  OpDef op;
  Attrs attrs;
  run::Context context;
  run::Schedule schedule;
  NumericModel model;
  run::EmulatedMemo memo{engine::Execution{}};

  Doubled() {
    op.name = "Doubled";
    op.body = "a = relu(x); y = add(a, a)";
    context.op = &op;
    context.interface = interface_of(op);
    context.dtype = DType::f16;
    for (const char* name : {"x", "a", "y", "dx", "dy"}) context.dtypes[name] = DType::f16;
    context.dtypes["mask"] = DType::boolean;
    schedule.store_edges = true;
  }
  std::map<std::string, Floats> run(const Floats& x, const Floats& dy, const Floats& mask = {}) {
    EmulatedKernel kernel(context, schedule, model, memo);
    const Shape shape = {static_cast<std::int64_t>(x.size())};
    Request request;
    request.op = &op;
    request.attrs = &attrs;
    request.inputs = {{"x", kernel.load(shape, x)}, {"dy", kernel.load(shape, dy)}};
    if (!mask.empty()) request.supplied["mask"] = kernel.load(shape, mask);
    std::map<std::string, Floats> outputs;
    for (const auto& [name, value] : graph::run(kernel, nullptr, request).outputs)
      outputs[name] = EmulatedKernel::floats(value);
    return outputs;
  }
};

TEST(Evaluate, AnEdgeThatFeedsTwoNodesAddsItsGradients) {
  const auto outputs = Doubled().run({-1, 2, 3}, {5, 7, 1});
  EXPECT_EQ(outputs.at("y"), (Floats{0, 4, 6}));
  EXPECT_EQ(outputs.at("dx"), (Floats{0, 14, 2}));
}

// x feeds both ports of add: dx = dy + dy.
TEST(Evaluate, AnInputThatFeedsTwoPortsAddsItsGradients) {
  Doubled doubled;
  doubled.op.body = "y = add(x, x)";
  doubled.context.interface = interface_of(doubled.op);
  EXPECT_EQ(doubled.run({1, 2}, {3, 4}).at("dx"), (Floats{6, 8}));
}

// Stored, as a framework's backward does, 3·(1 + 2^-10) is a tie to 3 + 2^-8, and three of them are 9 + 1.5·2^-7, a tie
// to 9 + 2^-6; kept, 9·(1 + 2^-10) = 9 + 1.125·2^-7 goes to 9 + 2^-7.
TEST(Evaluate, GradientsOfAnInputThatAddUpAreStored) {
  Doubled tripled;
  tripled.op.body = "y = x*3 + x*3 + x*3";
  tripled.context.interface = interface_of(tripled.op);
  const auto dx = [&] {
    return round_to(DType::f16, static_cast<double>(tripled.run({1}, {1 + 0x1p-10F}).at("dx").at(0)));
  };
  EXPECT_EQ(dx(), 9 + 0x1p-6);
  tripled.schedule.points["dx_part"] = std::nullopt;
  EXPECT_EQ(dx(), 9 + 0x1p-7);
}

// sqrt(3) is 1.7324219 in f16. dy/(2y) with dy = 1 + 2^-10 is 1183.3·2^-12 from the stored y, which goes to 1183, and
// 1183.6·2^-12 from the computed one, which goes to 1184.
TEST(Evaluate, ABackwardReadsTheOutputOrComputesItAgain) {
  Doubled root;
  root.op.body = "y = sqrt(x)";
  root.context.interface = interface_of(root.op);
  const auto dx = [&] {
    return round_to(DType::f16, static_cast<double>(root.run({3}, {1 + 0x1p-10F}).at("dx").at(0)));
  };
  EXPECT_EQ(dx(), 1183 * 0x1p-12);
  root.schedule.recompute = true;
  EXPECT_EQ(dx(), 1184 * 0x1p-12);
  EXPECT_EQ(root.run({3}, {1}).at("y"), Floats{1.732421875F});  // stored all the same
}

// Stored edges: d a = round16(2·40000) = Inf in f16, where an f32 edge would keep 80000; the mask 0 then makes NaN of
// it.
TEST(Evaluate, TheSumOfAnInnerGradientIsRoundedToo) {
  const auto outputs = Doubled().run({-1}, {40000});
  EXPECT_TRUE(outputs.at("dx")[0] != outputs.at("dx")[0]);
  Doubled kept;
  kept.schedule.points["da"] = std::nullopt;
  EXPECT_EQ(kept.run({-1}, {40000}).at("dx"), Floats{0});
}

TEST(Evaluate, ASavedTensorThatIsGivenWins) {
  EXPECT_EQ(Doubled().run({-1, 2}, {5, 7}, {1, 0}).at("dx"), (Floats{10, 0}));
}

// Two 1x1 convolutions of one channel, each with attributes of its own: the second pads one zero on the left.
// x = [1, 2], w1 = 3: c = [3, 6]; w2 = 2, pad left 1: y = [0, 6, 12]. dy = [7, 1, 2]: dc = [2, 4] (the padding's
// gradient is dropped), dw2 = 1·3 + 2·6 = 15, dx = 3·dc = [6, 12], dw1 = 2·1 + 4·2 = 10.
TEST(Evaluate, EachCallRunsWithItsOwnAttributes) {
  Doubled own;
  own.op.body = "c = conv2d(x, w1, kernel=1, pad=0); y = conv2d(c, w2, kernel=k2, pad=[0, 1, 0, 0])";
  own.context.interface = interface_of(own.op);
  Attrs given;
  given.set("k2", {1});
  own.attrs = complete_attrs(own.context.interface.attrs, given, "Own");
  for (const char* name : {"w1", "w2", "dw1", "dw2"}) own.context.dtypes[name] = DType::f16;
  EmulatedKernel kernel(own.context, own.schedule, own.model, own.memo);
  Request request;
  request.op = &own.op;
  request.attrs = &own.attrs;
  request.inputs = {{"x", kernel.load({1, 1, 1, 2}, {1, 2})},
                    {"w1", kernel.load({1, 1, 1, 1}, {3})},
                    {"w2", kernel.load({1, 1, 1, 1}, {2})},
                    {"dy", kernel.load({1, 1, 1, 3}, {7, 1, 2})}};
  const Evaluation evaluation = run(kernel, nullptr, request);
  const auto floats = [&](const char* name) { return EmulatedKernel::floats(evaluation.outputs.at(name)); };
  EXPECT_EQ(floats("y"), (Floats{0, 6, 12}));
  EXPECT_EQ(floats("dw2"), Floats{15});
  EXPECT_EQ(floats("dx"), (Floats{6, 12}));
  EXPECT_EQ(floats("dw1"), Floats{10});
}

// Two relus save a mask each; given ones win, by the names of their edges: mask of a = [1, 0], of y = [1, 1].
TEST(Evaluate, EachMaskIsGivenByItsOwnName) {
  Doubled own;
  own.op.body = "a = relu(x); y = relu(a)";
  own.context.interface = interface_of(own.op);
  for (const char* name : {"a_mask", "y_mask"}) own.context.dtypes[name] = DType::boolean;
  EmulatedKernel kernel(own.context, own.schedule, own.model, own.memo);
  Request request;
  request.op = &own.op;
  request.attrs = &own.attrs;
  request.inputs = {{"x", kernel.load({2}, {-1, 2})}, {"dy", kernel.load({2}, {5, 7})}};
  request.supplied = {{"a_mask", kernel.load({2}, {1, 0})}, {"y_mask", kernel.load({2}, {1, 1})}};
  EXPECT_EQ(EmulatedKernel::floats(run(kernel, nullptr, request).outputs.at("dx")), (Floats{5, 0}));
}

// y = x + 2: [1, 3] -> [3, 5]; the constant has no gradient.
TEST(Evaluate, AConstantIsAddedAndHasNoGradient) {
  Doubled own;
  own.op.body = "y = x + 2";
  own.context.interface = interface_of(own.op);
  const auto outputs = own.run({1, 3}, {5, 7});
  EXPECT_EQ(outputs.at("y"), (Floats{3, 5}));
  EXPECT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs.at("dx"), (Floats{5, 7}));
}

}  // namespace
}  // namespace fusecheck::graph
