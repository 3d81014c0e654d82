// The body's text, and what follows from it: nodes, names, ports, attributes, shapes.
#include "graph/body.hpp"

#include <gtest/gtest.h>

#include "fusecheck/registry.hpp"
#include "support/expect_error.hpp"

namespace fusecheck::graph {
namespace {

using fusecheck::testing::expect_error;
using ::testing::HasSubstr;
using Texts = std::vector<std::string>;

Texts names_of(const std::vector<Port>& ports) {
  Texts names;
  for (const Port& port : ports) names.push_back(port.name);
  return names;
}

void expect_refusal(std::string_view text, const std::string& message) {
  expect_error(ErrorKind::usage, HasSubstr(message), [&] { parse_body(text); });
}

OpDef op_with(const std::string& body) {
  OpDef op;
  op.name = "Own";
  op.body = body;
  return op;
}

TEST(Body, Parses) {
  const Body body = parse_body(" conv = conv2d(x, w ,b);y=relu( conv ) ");
  ASSERT_EQ(body.nodes.size(), 2u);
  EXPECT_EQ(body.nodes[0].op->name, "conv2d");
  EXPECT_EQ(body.nodes[0].result, "conv");
  EXPECT_EQ(body.nodes[0].arguments, (Texts{"x", "w", "b"}));
  EXPECT_EQ(body.nodes[1].arguments, Texts{"conv"});
}

// Columns count from 1 and name the character that is wrong.
TEST(Body, RefusalsNameThePlace) {
  expect_refusal("y relu(x)", "column 3: expected '='");
  expect_refusal("y = relu x)", "column 10: expected '('");
  expect_refusal("y = relu(x", "column 11: expected ')'");
  expect_refusal("y = relu()", "column 10: expected a name");
  expect_refusal("= relu(x)", "column 1: expected a name");
  expect_refusal("y = relu(x) z = relu(y)", "column 13: expected ';'");
  expect_refusal("", "column 1: no statement");
  expect_refusal(" ; ;", "column 5: no statement");
  expect_refusal("y = relu(x, w)", "column 5: relu takes 1 argument (x), got 2");
  expect_refusal("y = conv2d(x)", "conv2d takes 2 to 3 arguments (x, w, b), got 1");
  expect_refusal("y = ConvRelu(x, w)", "'ConvRelu' is not a primitive");
  expect_refusal("y = relo(x)", "Did you mean 'relu'?");
  expect_refusal("a = relu(x)\n  y = relo(a)", "line 2, column 7: unknown op 'relo'");
  expect_refusal("y = relu(x?)", "column 11: '?' has no meaning here");
  expect_refusal("y, z = relu(x)", "column 4: relu has 1 outputs, not 2");
}

TEST(Body, RefusalsOfNames) {
  expect_refusal("a = relu(b); b = relu(a)", "column 10: 'b' is used here and set later");
  expect_refusal("y = relu(y)", "column 10: 'y' is used here and set later");
  expect_refusal("a = relu(x); a = relu(a)", "column 14: 'a' is set twice");
  expect_refusal("a = relu(x); y = relu(x)", "column 1: 'a' is set and never used");
  expect_refusal("y = x", "'x' alone computes nothing");
  expect_refusal("y = 2", "'2' alone computes nothing");
  expect_refusal("y = add(x, dx)", "'dx' is what the gradient of 'x' is called");
  expect_refusal("y = relu(1)", "relu of numbers alone");
}

TEST(Body, RefusalsOfAttributes) {
  expect_refusal("y = conv2d(x, w, kernl=1)", "column 18: conv2d has no attribute 'kernl'");
  expect_refusal("y = relu(x, pad=1)", "relu has no attribute 'pad'");
  expect_refusal("y = conv2d(x, kernel=1, w)", "attributes come last");
  expect_refusal("y = conv2d(x, w, kernel=0)", "kernel 0 is outside [1, 1024]");
  expect_refusal("y = conv2d(x, w, pad=[1,2,3])", "pad takes 1 or 2 or 4 numbers, got 3");
  expect_refusal("y = conv2d(x, w, pad=1, pad=2)", "'pad' is given twice");
  expect_refusal("y = conv2d(x, w, pad=)", "expected a number");
}

TEST(Body, RefusalsOfSize) {
  const std::string deep(65, '(');
  expect_refusal("y = " + deep + "x" + std::string(65, ')'), "column 69: nested more than 64 deep");
  parse_body("y = relu(" + deep.substr(3) + "x" + std::string(62, ')') + ")");  // the call, 62 brackets, x: 64
  expect_refusal("y = relu(x) #" + std::string(64 * 1024, '-'), "65549 bytes of text, at most 65536");
  expect_refusal("y = add(x, 1e39)", "1e39 is beyond f32");
}

// ConvBnRelu: conv2d(x, w, b) -> batch_norm(conv, gamma, beta, mean, var) -> relu(bn).
TEST(Body, InterfaceOfAFusedOp) {
  const Interface interface = interface_of(find_op("ConvBnRelu"));
  EXPECT_EQ(names_of(interface.inputs), (Texts{"x", "w", "b", "gamma", "beta", "mean", "var"}));
  EXPECT_EQ(names_of(interface.outputs), (Texts{"y", "running_mean", "running_var"}));
  EXPECT_EQ(names_of(interface.saved), (Texts{"conv", "saved_mean", "saved_rstd", "bn", "mask"}));
  EXPECT_EQ(interface.first_output, "y");
}

// A saved tensor keeps its name where it is the only one; two masks are called after their edges. So are the running
// statistics of two norms.
TEST(Body, SavedTensorsOfTwoCallsHaveTheNamesOfTheirEdges) {
  const Interface two = interface_of(op_with("a = relu(x); y = relu(a)"));
  EXPECT_EQ(names_of(two.saved), (Texts{"a_mask", "a", "y_mask"}));
  const Interface norms =
      interface_of(op_with("n = batch_norm(x, g1, b1, m1, v1); a = relu(n); y = batch_norm(a, g2, b2, m2, v2)"));
  EXPECT_EQ(names_of(norms.outputs),
            (Texts{"y", "n_running_mean", "n_running_var", "y_running_mean", "y_running_var"}));
  EXPECT_EQ(names_of(norms.saved),
            (Texts{"n_saved_mean", "n_saved_rstd", "n", "mask", "a", "y_saved_mean", "y_saved_rstd"}));
}

// An input is left out only where every call can do without it, and has a gradient only where every call gives one.
TEST(Body, AnInputOfTwoCalls) {
  const Interface shared = interface_of(op_with("c = conv2d(x, w, b); y = bias(c, b)"));
  EXPECT_FALSE(shared.inputs.at(2).optional);
  const Interface norm = interface_of(op_with("n = batch_norm(x, g, h, m, v); y = bias(n, m)"));
  EXPECT_EQ(norm.inputs.at(3).name, "m");
  EXPECT_FALSE(norm.inputs.at(3).gradient);
}

TEST(Body, APrimitiveIsItsOwnBody) {
  const Body body = body_of(find_op("add"));
  ASSERT_EQ(body.nodes.size(), 1u);
  EXPECT_EQ(body.nodes[0].arguments, (Texts{"a", "b"}));
  EXPECT_EQ(body.nodes[0].result, "y");
}

Attrs conv_attrs() {
  Attrs given;
  given.set("oc", {4});
  given.set("stride", {2});
  return complete_attrs(interface_of(find_op("ConvRelu")).attrs, given, "ConvRelu");
}

// h = 5, w = 6, kernel 3, stride 2, padding 1: (5 + 2 - 3)/2 + 1 = 3, (6 + 2 - 3)/2 + 1 = 3.
TEST(Body, CompletesShapes) {
  const Shapes shapes = complete_shapes(find_op("ConvRelu"), {{"x", {2, 3, 5, 6}}}, conv_attrs(), {});
  EXPECT_EQ(shapes.at("w"), (Shape{4, 3, 3, 3}));
  EXPECT_EQ(shapes.at("b"), (Shape{4}));
  for (const char* name : {"conv", "y", "mask"}) EXPECT_EQ(shapes.at(name), (Shape{2, 4, 3, 3})) << name;
}

TEST(Body, AnAbsentInputHasNoShape) {
  const Shapes shapes = complete_shapes(find_op("ConvRelu"), {{"x", {2, 3, 5, 6}}}, conv_attrs(), {"b"});
  EXPECT_FALSE(shapes.contains("b"));
}

TEST(Body, ShapesThatContradictEachOtherOrDoNotFollow) {
  expect_error(ErrorKind::usage, HasSubstr("w has shape 4x2x3x3, expected 4x3x3x3"), [] {
    complete_shapes(find_op("ConvRelu"), {{"x", {2, 3, 5, 6}}, {"w", {4, 2, 3, 3}}}, conv_attrs(), {"b"});
  });
  const OpDef op = op_with("a = relu(x); y = a + relu(r)");
  expect_error(ErrorKind::usage, HasSubstr("the shape of 'r' does not follow from those given: add --shape r=DIMS"),
               [&] {
                 complete_shapes(op, {{"x", {2}}}, {}, {});
               });
}

// c1: 1x1 without padding keeps 5x6 and takes oc1 = 4; c2: 3x3, top 0, left 1, bottom 2, right 1, stride 2:
// (5 + 2 - 3)/2 + 1 = 3, (6 + 2 - 3)/2 + 1 = 3.
TEST(Body, EachCallHasItsOwnAttributes) {
  const OpDef op = op_with(
      "c1 = conv2d(x, w1, kernel=1, pad=0, oc=oc1); y = conv2d(c1, w2, pad=[0, 1, 2, 1], stride=step, kernel=k2)");
  const Interface interface = interface_of(op);
  Texts names;
  for (const AttrSpec& attr : interface.attrs) names.push_back(attr.name);
  EXPECT_EQ(names, (Texts{"oc1", "stride", "dilation", "groups", "oc", "k2", "step"}));
  Attrs given;
  given.set("oc1", {4});
  given.set("step", {2});
  const Attrs attrs = complete_attrs(interface.attrs, given, op.name);
  const Shapes shapes = complete_shapes(op, {{"x", {2, 3, 5, 6}}}, attrs, {});
  EXPECT_EQ(shapes.at("w1"), (Shape{4, 3, 1, 1}));
  EXPECT_EQ(shapes.at("c1"), (Shape{2, 4, 5, 6}));
  EXPECT_EQ(shapes.at("w2"), (Shape{4, 4, 3, 3}));
  EXPECT_EQ(shapes.at("y"), (Shape{2, 4, 3, 3}));

  const Node second = parse_body(op.body).nodes.at(1);
  EXPECT_EQ(attributes_of(second, attrs).list("pad"), (std::vector<double>{0, 1, 2, 1}));
  EXPECT_EQ(attributes_of(second, attrs).list("stride"), (std::vector<double>{2, 2}));
  EXPECT_EQ(attribute_name(second, "pad"), "");
  EXPECT_EQ(attribute_name(second, "stride"), "step");
}

}  // namespace
}  // namespace fusecheck::graph
