// What each primitive is in ONNX: one line a primitive. Operators and their types: Operators.md of ONNX 1.12.
#include <array>

#include "exchange/onnx_call.hpp"

namespace fusecheck::exchange {
namespace {

std::string on_x(OnnxCall& call, const char* op, OnnxAttributes attributes = {}) {
  return call.node(op, {call.in("x")}, std::move(attributes));
}

std::string on_a_b(OnnxCall& call, const char* op) { return call.node(op, {call.in("a"), call.in("b")}); }

float attribute(const OnnxCall& call, const char* name) { return static_cast<float>(call.attrs().number(name)); }

std::string clipped(OnnxCall& call, double low, double high) {
  return call.node("Clip", {call.in("x"), call.number(low), call.number(high)});
}

std::string along_axis(OnnxCall& call, const char* op) {
  return on_x(call, op, {{"axis", call.attrs().integer("axis")}});
}

// The axes are an input of ReduceSum, and an attribute of ReduceMean and ReduceMax until opset 18.
std::string reduced(OnnxCall& call, const char* op) {
  return on_x(call, op, {{"axes", integers_of(call.attrs(), "axes")}, {"keepdims", call.attrs().integer("keepdims")}});
}

std::string reduced_sum(OnnxCall& call) {
  return call.node("ReduceSum", {call.in("x"), call.integers(integers_of(call.attrs(), "axes"))},
                   {{"keepdims", call.attrs().integer("keepdims")}});
}

std::string added_along_axis(OnnxCall& call) {
  const std::size_t rank = call.shape("x").size();
  const std::int64_t axis = call.attrs().integer("axis");
  const auto from_front = static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
  return call.node("Add", {call.in("x"), call.along(call.in("b"), from_front, rank)});
}

std::string kept(OnnxCall& call) {
  const std::string keep = call.node("Cast", {call.in("keep")}, {{"to", onnx_type(call.type())}});
  const std::string product = call.node("Mul", {call.in("x"), keep});
  return call.node("Div", {product, call.number(1 - call.attrs().number("p"))});
}

using C = OnnxCall;
constexpr OnnxTypes native = OnnxTypes::native, any = OnnxTypes::any, composed = OnnxTypes::composed;

constexpr std::array<OnnxForm, 61> forms = {{
    {"abs", native, [](C& c) { return on_x(c, "Abs"); }},
    {"add", native, [](C& c) { return on_a_b(c, "Add"); }},
    {"attention_scores", composed, emit_attention_scores, true},
    {"attention_softmax", composed, emit_attention_softmax},
    {"attention_values", composed, emit_attention_values, true},
    {"avg_pool", native, emit_average_pool},
    {"batch_norm", OnnxTypes::statistics, emit_batch_norm},
    {"bias", native, added_along_axis},
    {"cast", any, emit_cast},
    {"clip", native, [](C& c) { return clipped(c, c.attrs().number("low"), c.attrs().number("high")); }},
    {"concat", any, emit_concat},
    {"conv2d", native, emit_conv, true},
    {"conv3d", native, emit_conv, true},
    {"conv_transpose2d", native, emit_conv_transpose, true},
    {"cross_entropy", composed, emit_cross_entropy},
    {"div", native, [](C& c) { return on_a_b(c, "Div"); }},
    {"dropout", composed, kept},
    {"elu", native,
     [](C& c) {
       return on_x(c, "Elu", {{"alpha", attribute(c, "alpha")}});
     }},
    {"exp", native, [](C& c) { return on_x(c, "Exp"); }},
    {"gather", any,
     [](C& c) {
       return c.node("Gather", {c.in("x"), c.in("index")}, {{"axis", c.attrs().integer("axis")}});
     }},
    {"gelu", composed, emit_gelu},
    {"global_avg_pool", native, [](C& c) { return on_x(c, "GlobalAveragePool"); }},
    {"group_norm", composed, emit_group_norm},
    {"hard_sigmoid", native,
     [](C& c) {
       return on_x(c, "HardSigmoid", {{"alpha", 1.0F / 6}, {"beta", 0.5F}});
     }},
    {"hard_swish", native, [](C& c) { return on_x(c, "HardSwish"); }},
    {"instance_norm", composed, emit_group_norm},
    {"layer_norm", native, emit_layer_norm},
    {"leaky_relu", native,
     [](C& c) {
       return on_x(c, "LeakyRelu", {{"alpha", attribute(c, "alpha")}});
     }},
    {"log", native, [](C& c) { return on_x(c, "Log"); }},
    {"log_softmax", native, [](C& c) { return along_axis(c, "LogSoftmax"); }},
    {"masked_softmax", composed, emit_masked_softmax},
    {"matmul", native, emit_matmul, true},
    {"max", native, [](C& c) { return on_a_b(c, "Max"); }},
    {"max_pool", native, emit_max_pool},
    {"min", native, [](C& c) { return on_a_b(c, "Min"); }},
    {"mish", composed,
     [](C& c) {
       return c.node("Mul", {c.in("x"), c.node("Tanh", {on_x(c, "Softplus")})});
     }},
    {"mul", native, [](C& c) { return on_a_b(c, "Mul"); }},
    {"neg", native, [](C& c) { return on_x(c, "Neg"); }},
    {"pad", any, emit_pad},
    {"pow", composed,
     [](C& c) {
       return c.node("Pow", {c.in("x"), c.number(c.attrs().number("exponent"))});
     }},
    {"prelu", native,
     [](C& c) {
       return c.node("PRelu", {c.in("x"), c.along(c.in("alpha"), 1, c.shape("x").size())});
     }},
    {"reduce_max", native, [](C& c) { return reduced(c, "ReduceMax"); }},
    {"reduce_mean", native, [](C& c) { return reduced(c, "ReduceMean"); }},
    {"reduce_sum", native, reduced_sum},
    {"relu", native, [](C& c) { return on_x(c, "Relu"); }},
    {"relu6", native, [](C& c) { return clipped(c, 0, 6); }},
    {"reshape", any, [](C& c) { return c.reshaped(c.in("x"), c.shape("y")); }},
    {"rms_norm", composed, emit_rms_norm},
    {"rotary_embedding", composed, emit_rotary_embedding},
    {"scale", composed,
     [](C& c) {
       return c.node("Mul", {c.in("x"), c.number(c.attrs().number("scale"))});
     }},
    {"sigmoid", native, [](C& c) { return on_x(c, "Sigmoid"); }},
    {"silu", composed,
     [](C& c) {
       return c.node("Mul", {c.in("x"), on_x(c, "Sigmoid")});
     }},
    {"slice", any, emit_slice},
    {"softmax", native, [](C& c) { return along_axis(c, "Softmax"); }},
    {"softplus", native, [](C& c) { return on_x(c, "Softplus"); }},
    {"split", any, emit_split},
    {"sqrt", native, [](C& c) { return on_x(c, "Sqrt"); }},
    {"sub", native, [](C& c) { return on_a_b(c, "Sub"); }},
    {"tanh", native, [](C& c) { return on_x(c, "Tanh"); }},
    {"transpose", any, emit_transpose},
    {"where", any,
     [](C& c) {
       return c.node("Where", {c.in("condition"), c.in("a"), c.in("b")});
     }},
}};

}  // namespace

const OnnxForm* onnx_form(std::string_view primitive) {
  for (const OnnxForm& form : forms) {
    if (form.primitive == primitive) return &form;
  }
  return nullptr;
}

}  // namespace fusecheck::exchange
