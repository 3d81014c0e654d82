// Bodies of users: as one word for case lines, and fusion rules in JSON.
#include "graph/own_op.hpp"

#include <gtest/gtest.h>

#include "fusecheck/registry.hpp"
#include "support/expect_error.hpp"

namespace fusecheck::graph {
namespace {

using fusecheck::testing::expect_error;
using ::testing::HasSubstr;

TEST(OwnOp, OneWordSaysABodyAndGivesItBack) {
  const std::string text = "c = conv2d(x, w, oc=oc2, kernel=[1, 1]); s = f16(c); t1 = add(s, -0.5); y = add(t1, 1e+30)";
  const std::string word = encoded(text);
  EXPECT_EQ(word, "c=conv2d:x:w:kernel=1x1:oc=oc2+s=f16:c+t1=add:s:-0.5+y=add:t1:1e30");
  EXPECT_EQ(to_text(parse_body(decoded(word))), text);
}

TEST(OwnOp, WhatTheTextNamesIsThere) {
  const auto op = op_of("body", "y = conv2d(x, w, b)");
  EXPECT_TRUE(is_own(*op));
  EXPECT_FALSE(interface_of(*op).inputs.at(2).optional);
  EXPECT_FALSE(is_own(*op_of("ConvRelu", "")));
}

// What a cast reads is drawn and stored as the call behind it says, however many casts lie between; alone, as cast's x.
TEST(OwnOp, AnInputThatIsCastIsWhatItsReaderTakes) {
  const auto inputs = [](const char* body) { return interface_of(*op_of("body", body)).inputs; };
  EXPECT_EQ(inputs("s = bf16(x); y = conv2d(s, w)").at(0).draw, find_op("conv2d").inputs.at(0).draw);
  EXPECT_EQ(inputs("y = conv2d(x, f16(bf16(w)))").at(0).draw, find_op("conv2d").inputs.at(1).draw);
  const Port gamma = inputs("y = batch_norm(x, f16(gamma), beta, mean, var)").at(0);
  EXPECT_EQ(gamma.role, Role::parameter);
  EXPECT_EQ(gamma.draw, find_op("batch_norm").inputs.at(1).draw);
  EXPECT_EQ(inputs("y = f16(x)").at(0).draw, find_op("cast").inputs.at(0).draw);
  EXPECT_EQ(inputs("y = gather(x, f32(i))").at(0).role, Role::data);  // a rounded index is none
}

// db is 0 where the bias reaches nothing but the normalisation, rounded on the way or not.
TEST(OwnOp, ABiasInFrontOfTrainingIsStructurallyZero) {
  const auto structural = [](const char* body) {
    std::vector<std::string> names;
    const auto op = op_of("body", body);
    for (const Structural& output : op->structural) {
      EXPECT_TRUE(output.training_only);
      names.push_back(output.output);
    }
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(structural("c = conv2d(x, w, b); y = batch_norm(c, gamma, beta, mean, var)"), Names{"db"});
  EXPECT_EQ(structural("c = conv2d(x, w, q); s = f16(c); n = batch_norm(s, g, h, m, v); y = relu(n)"), Names{"dq"});
  EXPECT_EQ(structural("t = bias(x, b); y = batch_norm(t, gamma, beta, mean, var)"), Names{"db"});
  // The convolution goes elsewhere, too; through a relu; the bias is read twice.
  EXPECT_EQ(structural("c = conv2d(x, w, b); n = batch_norm(c, gamma, beta, mean, var); y = add(n, c)"), Names{});
  EXPECT_EQ(structural("c = conv2d(x, w, b); r = relu(c); y = batch_norm(r, gamma, beta, mean, var)"), Names{});
  EXPECT_EQ(structural("c = conv2d(x, w, b); n = batch_norm(c, gamma, b, mean, var); y = relu(n)"), Names{});
}

TEST(OwnOp, ChainsInJson) {
  const std::string nested =
      R"({"pattern": [{"op_type": "Conv", "next": {"op_type": "BatchNorm", "next": {"op_type": "ReLU"}}}]})";
  EXPECT_EQ(chain_body(nested),
            "conv2d = conv2d(x, w); batch_norm = batch_norm(conv2d, gamma, beta, mean, var); y = relu(batch_norm)");
  const std::string flat = R"({"pattern": [{"op_type": "Conv2D"}, {"op_type": "Add"}, {"op_type": "Add"}]})";
  EXPECT_EQ(chain_body(flat), "conv2d = conv2d(x, w); add = add(conv2d, b); y = add(add, b2)");
}

TEST(OwnOp, ChainsThatAreRefused) {
  const auto refused = [](const char* json, const char* message) {
    expect_error(ErrorKind::usage, HasSubstr(message), [&] { chain_body(json); });
  };
  refused("{", "not JSON");
  refused("{}", "there is no \"pattern\"");
  refused(R"({"pattern": []})", "the pattern is empty");
  refused(R"({"pattern": [{"op": "Conv"}]})", "a link has no \"op_type\"");
  refused(R"({"pattern": [{"op_type": "Relo"}]})", "Did you mean 'relu'?");
}

TEST(OwnOp, AFileThatIsAbsentGivesNoVerdict) {
  expect_error(ErrorKind::no_verdict, HasSubstr("no such file"), [] { read_own_body("nowhere.body"); });
}

}  // namespace
}  // namespace fusecheck::graph
