// The nodes of hand-derived models: operators, attributes, types.
#include <gmock/gmock.h>

#include <cstring>

#include "onnx_case.hpp"
#include "support/expect_error.hpp"

namespace fusecheck::testing {
namespace {

using ::onnx::TensorProto;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Integers = std::vector<std::int64_t>;

TEST(OnnxModel, VersionsAreFixed) {
  const ::onnx::ModelProto model = model_of("relu/f32/x=2/random/fwd");
  EXPECT_EQ(model.ir_version(), 8);
  ASSERT_EQ(model.opset_import_size(), 1);
  EXPECT_EQ(model.opset_import(0).domain(), "");
  EXPECT_EQ(model.opset_import(0).version(), 17);
}

TEST(OnnxModel, NamesTypesAndShapesAreThoseOfTheCase) {
  const ::onnx::ModelProto model = model_of("bias/f16/x=2x3x4/random/fwd");
  ASSERT_EQ(model.graph().input_size(), 2);
  EXPECT_EQ(model.graph().input(0).name(), "x");
  EXPECT_EQ(model.graph().input(0).type().tensor_type().elem_type(), TensorProto::FLOAT16);
  EXPECT_EQ(model.graph().input(1).name(), "b");
  EXPECT_EQ(model.graph().input(1).type().tensor_type().elem_type(), TensorProto::FLOAT);
  ASSERT_EQ(model.graph().output_size(), 1);
  const auto& y = model.graph().output(0).type().tensor_type();
  ASSERT_EQ(y.shape().dim_size(), 3);
  EXPECT_EQ(y.shape().dim(1).dim_value(), 3);
}

// ONNX's pads are those in front of h and w, then those behind: top, left, bottom, right, as the case says them.
TEST(OnnxModel, ConvolutionAttributes) {
  const ::onnx::ModelProto model =
      model_of("conv2d/f32/x=1x4x9x8/bias,dilation=1x2,groups=2,kernel=3x2,oc=6,pad=1x0x2x1,stride=2x1/random/fwd");
  ASSERT_THAT(nodes_of(model), ElementsAre("Conv(x, w, b) -> y"));
  const ::onnx::NodeProto& conv = model.graph().node(0);
  EXPECT_EQ(integers(conv, "pads"), (Integers{1, 0, 2, 1}));
  EXPECT_EQ(integers(conv, "strides"), (Integers{2, 1}));
  EXPECT_EQ(integers(conv, "dilations"), (Integers{1, 2}));
  EXPECT_EQ(integers(conv, "kernel_shape"), (Integers{3, 2}));
  EXPECT_EQ(attribute(conv, "group").i(), 2);
}

// dilation·(kernel - 1)/2 on each side: 2·2/2 = 2 of h, 1·4/2 = 2 of w; kernel 3 alone: 1.
TEST(OnnxModel, PaddingThatTheCaseLeavesOpenIsWrittenOut) {
  const ::onnx::ModelProto wide = model_of("conv2d/f32/x=1x2x9x9/dilation=2x1,kernel=3x5/random/fwd");
  EXPECT_EQ(integers(wide.graph().node(0), "pads"), (Integers{2, 2, 2, 2}));
  const ::onnx::ModelProto usual = model_of("ConvRelu/f32/x=1x2x9x9/random/fwd");
  EXPECT_EQ(integers(usual.graph().node(0), "pads"), (Integers{1, 1, 1, 1}));
}

TEST(OnnxModel, PadsOfTheLastAxesBecomePadsOfAll) {
  const ::onnx::ModelProto model = model_of("pad/f32/x=2x3x4/after=1x2,before=0x3,value=9/random/fwd");
  ASSERT_EQ(model.graph().initializer_size(), 2);
  const std::string& raw = model.graph().initializer(0).raw_data();
  Integers pads(raw.size() / 8);
  std::memcpy(pads.data(), raw.data(), raw.size());
  EXPECT_EQ(pads, (Integers{0, 0, 3, 0, 1, 2}));
}

// Every operator takes FLOAT16, and BatchNormalization its vectors in FLOAT: no cast, one rounding an edge.
TEST(OnnxModel, RunsInTheTypeOfTheCaseWhereOnnxCan) {
  const ::onnx::ModelProto model = model_of("ConvBnRelu/f16/x=1x2x4x4/random/fwd");
  EXPECT_THAT(nodes_of(model), ElementsAre("Conv(x, w) -> conv",
                                           "BatchNormalization(conv, gamma, beta, mean, var) -> bn", "Relu(bn) -> y"));
  EXPECT_FLOAT_EQ(attribute(model.graph().node(1), "epsilon").f(), 1e-5F);
}

// Conv has one type for x, w and b: with b in FLOAT it runs in FLOAT, and nothing is rounded before y.
TEST(OnnxModel, RunsInFloatWhereTheTypesDiffer) {
  const ::onnx::ModelProto model = model_of("ConvRelu/f16/x=1x2x4x4/bias/random/fwd");
  EXPECT_THAT(operators_of(model), ElementsAre("Cast", "Cast", "Conv", "Relu", "Cast"));
  EXPECT_EQ(attribute(model.graph().node(0), "to").i(), TensorProto::FLOAT);
  EXPECT_EQ(attribute(model.graph().node(4), "to").i(), TensorProto::FLOAT16);
  EXPECT_THAT(nodes_of(model).back(), HasSubstr("-> y"));
}

TEST(OnnxModel, NoOperatorTakesBfloat16) {
  EXPECT_THAT(operators_of(model_of("relu/bf16/x=2x3/random/fwd")), ElementsAre("Cast", "Relu", "Cast"));
  EXPECT_THAT(operators_of(model_of("transpose/bf16/x=2x3/random/fwd")), ElementsAre("Transpose"));
}

// y = layer_norm(x)·w: what enters the product is an operand of the matrix unit, so it is rounded to FLOAT16; the
// product runs in FLOAT all the same, as nothing else is rounded before y.
TEST(OnnxModel, RoundsWhatFeedsAContraction) {
  const ::onnx::ModelProto fused = model_of("LayerNormProjection/f16/x=4x8/random/fwd");
  EXPECT_THAT(operators_of(fused), ElementsAre("Cast", "LayerNormalization", "Cast", "Cast", "Cast", "MatMul", "Cast"));
  EXPECT_EQ(attribute(fused.graph().node(2), "to").i(), TensorProto::FLOAT16);
}

// A user's own body rounds where it casts, and nowhere else.
TEST(OnnxModel, OwnBodyRoundsWhereItSays) {
  CaseSpec spec = parse_case("relu/f16/x=1x2x4x4/random/fwd");
  spec.op = "body";
  spec.body = canonical_body("c = conv2d(x, w); s = f16(c); y = relu(s)");
  const ::onnx::ModelProto model = model_of(spec);
  EXPECT_THAT(nodes_of(model),
              ElementsAre("Cast(x) -> c/x", "Cast(w) -> c/w", "Conv(c/x, c/w) -> c", "Cast(c) -> s", "Relu(s) -> y"));
  EXPECT_EQ(attribute(model.graph().node(3), "to").i(), TensorProto::FLOAT16);
}

// Names as ONNX's Operators.md has them; all of these take x alone, or a and b in this order.
TEST(OnnxModel, OperatorsOfOneNode) {
  const std::map<std::string, std::string> unary = {{"abs", "Abs"},
                                                    {"exp", "Exp"},
                                                    {"global_avg_pool", "GlobalAveragePool"},
                                                    {"log", "Log"},
                                                    {"neg", "Neg"},
                                                    {"sqrt", "Sqrt"},
                                                    {"hard_sigmoid", "HardSigmoid"},
                                                    {"elu", "Elu"},
                                                    {"relu", "Relu"},
                                                    {"softmax", "Softmax"},
                                                    {"log_softmax", "LogSoftmax"},
                                                    {"tanh", "Tanh"},
                                                    {"sigmoid", "Sigmoid"},
                                                    {"softplus", "Softplus"},
                                                    {"leaky_relu", "LeakyRelu"},
                                                    {"hard_swish", "HardSwish"},
                                                    {"reduce_max", "ReduceMax"},
                                                    {"reduce_mean", "ReduceMean"}};
  for (const auto& [primitive, op] : unary) {
    EXPECT_THAT(nodes_of(model_of(primitive + "/f32/x=2x3x4/random/fwd")), ElementsAre(op + "(x) -> y"));
  }
  const std::map<std::string, std::string> binary = {{"add", "Add"}, {"sub", "Sub"}, {"mul", "Mul"},
                                                     {"div", "Div"}, {"max", "Max"}, {"min", "Min"}};
  for (const auto& [primitive, op] : binary) {
    EXPECT_THAT(nodes_of(model_of(primitive + "/f32/a=2x3x4/random/fwd")), ElementsAre(op + "(a, b) -> y"));
  }
}

TEST(OnnxModel, TransposedMatrices) {
  const ::onnx::ModelProto gemm = model_of("matmul/f32/a=5x4,b=6x5/transpose_a=1,transpose_b=1/random/fwd");
  ASSERT_THAT(operators_of(gemm), ElementsAre("Gemm"));
  EXPECT_EQ(attribute(gemm.graph().node(0), "transA").i(), 1);
  EXPECT_EQ(attribute(gemm.graph().node(0), "transB").i(), 1);
  const ::onnx::ModelProto batched = model_of("matmul/f32/a=3x4x5,b=6x5/transpose_b=1/random/fwd");
  ASSERT_THAT(operators_of(batched), ElementsAre("Transpose", "MatMul"));
  EXPECT_EQ(integers(batched.graph().node(0), "perm"), (Integers{1, 0}));
}

// x = 4 with kernel 2, stride 3, one element of padding behind: windows at 0 and 3 lie in x; ONNX's ceil((4 + 1 - 2)/3)
// + 1 = 2. With kernel 1, stride 2 and no padding the count is 2 either way. With x = 2, kernel 2, stride 3, padding 1
// and 1: (2 + 2 - 2)/3 rounded up + 1 = 2 windows in ONNX; the second begins at 3 - 1 = 2, behind x, and does not count
// here.
TEST(OnnxModel, WindowsThatOnnxCountsOtherwiseAreRefused) {
  EXPECT_NO_THROW(model_of("max_pool/f32/x=1x1x4x4/kernel=2,pad=0x0x1x1,round_up=1,stride=3/random/fwd"));
  expect_error(ErrorKind::usage, HasSubstr("begins in the padding"),
               [] { model_of("max_pool/f32/x=1x1x2x2/kernel=2,pad=1,round_up=1,stride=3/random/fwd"); });
}

// running_var takes the unbiased variance: weight m·n/(n - 1) = 0.5·6/5 = 0.6, and 1 - m = 0.5 for the old one.
TEST(OnnxModel, TrainingGivesTheRunningStatistics) {
  const ::onnx::ModelProto model = model_of("batch_norm/f32/x=2x2x3/bn=1,momentum=0.5/random/fwd");
  ASSERT_EQ(model.graph().output_size(), 3);
  EXPECT_EQ(model.graph().output(1).name(), "running_mean");
  EXPECT_EQ(model.graph().output(2).name(), "running_var");
  std::vector<float> scalars;
  for (const ::onnx::TensorProto& one : model.graph().initializer()) {
    if (one.data_type() != TensorProto::FLOAT) continue;
    scalars.push_back(0);
    std::memcpy(&scalars.back(), one.raw_data().data(), sizeof(float));
  }
  EXPECT_THAT(scalars, ::testing::Contains(0.6F));
  EXPECT_THAT(scalars, ::testing::Contains(0.5F));
}

// TensorProto of onnx.proto: dims = 1 (varint), data_type = 2, name = 8, raw_data = 9. 1 is 3f800000, -2 is c0000000.
TEST(OnnxFile, BytesOfATensor) {
  const std::vector<double> values = {1, -2};
  const std::string expected("\x08\x02\x10\x01\x42\x01x\x4a\x08\x00\x00\x80\x3f\x00\x00\x00\xc0", 17);
  EXPECT_EQ(exchange::onnx_tensor_bytes("x", Tensor::from(DType::f32, {2}, std::span<const double>(values))), expected);
}

}  // namespace
}  // namespace fusecheck::testing
