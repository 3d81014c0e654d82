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
    for (const auto& [name, value] : graph::run(kernel, nullptr, request).outputs) outputs[name] = EmulatedKernel::floats(value);
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

// Stored edges: d a = round16(2·40000) = Inf in f16, where an f32 edge would keep 80000; the mask 0 then makes NaN of it.
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

}  // namespace
}  // namespace fusecheck::graph
