// ONNX's checker and its strict type and shape inference on the model of every op in every type.
#include <onnx/checker.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>

#include "exchange/onnx_call.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/registry.hpp"
#include "graph/body.hpp"
#include "onnx_case.hpp"
#include "support/expect_error.hpp"

namespace fusecheck::testing {
namespace {

// The first shape of a few that the op takes.
CaseSpec small_case(const OpDef& op, DType dtype) {
  const std::string first = graph::interface_of(op).inputs.at(0).name;
  CaseSpec spec;
  spec.op = op.name;
  spec.dtype = dtype;
  spec.passes = Passes::forward;
  for (const Shape& shape : {Shape{2, 4, 6, 8}, Shape{2, 6, 8}, Shape{4, 6}, Shape{1, 4, 5, 6, 6}}) {
    spec.shapes[first] = shape;
    try {
      case_info(spec);
      return spec;
    } catch (const Error&) {
    }
  }
  ADD_FAILURE() << op.name << " takes none of the shapes";
  return spec;
}

// What inference, which is told nothing but the inputs, finds for the outputs.
void expect_valid(const std::string& line) {
  SCOPED_TRACE(line);
  ::onnx::ModelProto model = model_of(line);
  ASSERT_NO_THROW(::onnx::checker::check_model(model));
  const auto declared = model.graph().output();
  for (::onnx::ValueInfoProto& output : *model.mutable_graph()->mutable_output()) {
    output.mutable_type()->mutable_tensor_type()->clear_shape();
  }
  const int throw_errors = 1;
  ASSERT_NO_THROW(
      ::onnx::shape_inference::InferShapes(model, ::onnx::OpSchemaRegistry::Instance(), {true, throw_errors, true}));
  for (int i = 0; i < declared.size(); ++i) {
    EXPECT_EQ(model.graph().output(i).SerializeAsString(), declared[i].SerializeAsString()) << declared[i].name();
  }
}

bool has_form(const OpDef& op) {
  const std::vector<graph::Node> nodes = graph::body_of(op).nodes;
  return std::all_of(nodes.begin(), nodes.end(), [](const graph::Node& node) {
    return node.cast.has_value() || exchange::onnx_form(node.op->name) != nullptr;
  });
}

// 61 primitives had one when this was written; a new one may do without.
TEST(OnnxChecker, PrimitivesKeepTheirForms) {
  const auto ops = all_ops();
  EXPECT_GE(std::count_if(ops.begin(), ops.end(), [](const OpDef& op) { return !op.fused() && has_form(op); }), 61);
}

TEST(OnnxChecker, APrimitiveWithoutAFormIsRefusedInOneLine) {
  OpDef op;
  op.name = "mystery";
  op.inputs = {{.name = "x", .doc = ""}};
  op.outputs = {{.name = "y", .doc = ""}};
  const Attrs attrs;
  const Shapes shapes = {{"x", {2}}, {"y", {2}}};
  const std::map<std::string, DType, std::less<>> dtypes = {{"x", DType::f32}, {"y", DType::f32}};
  expect_error(ErrorKind::usage,
               "--format onnx: mystery has no form in ONNX opset 17 that fusecheck knows; export as npy", [&] {
                 exchange::onnx_model({op, DType::f32, attrs, shapes, dtypes, {"x"}, {"y"}});
               });
}

class OnnxOfOp : public ::testing::TestWithParam<const OpDef*> {};

TEST_P(OnnxOfOp, PassesTheCheckerAndInfersItsOutputs) {
  if (!has_form(*GetParam())) return;  // refused, as above
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32}) {
    expect_valid(to_line(small_case(*GetParam(), dtype)));
  }
}

std::vector<const OpDef*> ops() {
  std::vector<const OpDef*> all;
  for (const OpDef& op : all_ops()) all.push_back(&op);
  return all;
}

INSTANTIATE_TEST_SUITE_P(AllOps, OnnxOfOp, ::testing::ValuesIn(ops()),
                         [](const auto& tested) { return tested.param->name; });

// Attributes that change what the outputs look like, and those that the defaults leave out.
TEST(OnnxChecker, AttributesInferTheShapesOfTheCase) {
  for (const char* line :
       {"conv2d/f32/x=1x4x9x8/bias,dilation=1x2,groups=2,kernel=3x2,oc=6,pad=1x0x2x1,stride=2x1/random/fwd",
        "conv3d/f32/x=1x2x5x6x7/kernel=3x1x2,oc=3,pad=1x0x0x0x2x1,stride=1x2x3/random/fwd",
        "conv_transpose2d/f32/x=1x4x5x6/dilation=1x2,groups=2,kernel=3x2,oc=6,output_pad=1x0,pad=1x0x1x2,stride=2x3/"
        "random/fwd",
        "max_pool/f16/x=1x2x7x9/kernel=3x4,pad=1x0x1x0,round_up=1,stride=2x3/random/fwd",
        "avg_pool/f16/x=1x2x7x8/count_include_pad=0,kernel=3x2,pad=1x0x1x1,stride=2x3/random/fwd",
        "matmul/f32/a=2x3x4x5,b=4x6/transpose_a=1/random/fwd",
        "matmul/f16/a=5x4,b=6x4/transpose_b=1/random/fwd",
        "batch_norm/f16/x=2x3x4/bn=1/random/fwd",
        "layer_norm/f32/x=2x3x4/axis=1/random/fwd",
        "group_norm/f16/x=2x4x3x3/num_groups=2/random/fwd",
        "reduce_sum/f32/x=2x3x4/axes=0x-1,keepdims=0/random/fwd",
        "pad/f16/x=2x3x4/after=1x2,before=0x3,value=9/random/fwd",
        "slice/f32/x=2x9/begin=-8,end=-1,step=3/random/fwd",
        "split/f32/x=2x9x2/axis=1,index=2,parts=3/random/fwd",
        "transpose/f16/x=2x3x4/order=2x0x1/random/fwd",
        "reshape/f16/x=2x3x4/shape=0x-1/random/fwd",
        "gather/f16/index=2x2,x=4x5x6/axis=1/random/fwd",
        "rotary_embedding/f16/x=2x3x4/interleaved=1/random/fwd",
        "cross_entropy/f16/x=2x3x4/reduction=0/random/fwd",
        "cross_entropy/f32/x=5x4/reduction=2/random/fwd",
        "gelu/f16/x=2x3/approximate=1/random/fwd",
        "concat/f16/x1=2x3,x2=2x4,x3=2x1/random/fwd",
        "FusedAttention/f16/q=1x4x5x8/causal=2,keys=7,kv_heads=2,soft_cap=5/random/fwd"}) {
    expect_valid(line);
  }
}

}  // namespace
}  // namespace fusecheck::testing
