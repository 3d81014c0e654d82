// The body parser, and what follows from a body: ports, shapes.
#include "graph/body.hpp"

#include <gtest/gtest.h>

#include "fusecheck/registry.hpp"
#include "support/expect_error.hpp"

namespace fusecheck::graph {
namespace {

using ::testing::HasSubstr;
using fusecheck::testing::expect_error;

std::vector<std::string> names_of(const std::vector<Port>& ports) {
  std::vector<std::string> names;
  for (const Port& port : ports) names.push_back(port.name);
  return names;
}

void expect_refusal(std::string_view text, const std::string& message) {
  expect_error(ErrorKind::usage, HasSubstr(message), [&] { parse_body(text); });
}

TEST(Body, Parses) {
  const Body body = parse_body(" conv = conv2d(x, w ,b);y=relu( conv ) ");
  ASSERT_EQ(body.nodes.size(), 2u);
  EXPECT_EQ(body.nodes[0].op->name, "conv2d");
  EXPECT_EQ(body.nodes[0].result, "conv");
  EXPECT_EQ(body.nodes[0].arguments, (std::vector<std::string>{"x", "w", "b"}));
  EXPECT_EQ(body.nodes[1].arguments, std::vector<std::string>{"conv"});
}

// Columns count from 1 and name the character where the reader stands.
TEST(Body, RefusalsNameTheColumn) {
  expect_refusal("y relu(x)", "column 3: expected '='");
  expect_refusal("y = relu x)", "column 10: expected '('");
  expect_refusal("y = relu(x", "column 11: expected ')'");
  expect_refusal("y = relu()", "column 10: expected a name");
  expect_refusal("= relu(x)", "column 1: expected a name");
  expect_refusal("y = relu(x) z = relu(y)", "column 13: expected ';'");
  expect_refusal("", "column 1: no line");
  expect_refusal("y = relu(x, w)", "relu takes at most 1 arguments");
  expect_refusal("y = ConvRelu(x, w)", "'ConvRelu' is not a primitive");
  expect_refusal("y = relo(x)", "Did you mean 'relu'?");
}

// ConvBnRelu: conv2d(x, w, b) -> batch_norm(conv, gamma, beta, mean, var) -> relu(bn).
TEST(Body, InterfaceOfAFusedOp) {
  const Interface interface = interface_of(find_op("ConvBnRelu"));
  EXPECT_EQ(names_of(interface.inputs), (std::vector<std::string>{"x", "w", "b", "gamma", "beta", "mean", "var"}));
  EXPECT_EQ(names_of(interface.outputs), (std::vector<std::string>{"y", "running_mean", "running_var"}));
  EXPECT_EQ(names_of(interface.saved),
            (std::vector<std::string>{"conv", "saved_mean", "saved_rstd", "bn", "mask"}));
  EXPECT_EQ(interface.first_output, "y");
}

TEST(Body, APrimitiveIsItsOwnBody) {
  const Body body = body_of(find_op("add"));
  ASSERT_EQ(body.nodes.size(), 1u);
  EXPECT_EQ(body.nodes[0].arguments, (std::vector<std::string>{"a", "b"}));
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

TEST(Body, ShapesThatContradictEachOther) {
  expect_error(ErrorKind::usage, HasSubstr("w has shape 4x2x3x3, expected 4x3x3x3"), [] {
    complete_shapes(find_op("ConvRelu"), {{"x", {2, 3, 5, 6}}, {"w", {4, 2, 3, 3}}}, conv_attrs(), {"b"});
  });
}

}  // namespace
}  // namespace fusecheck::graph
