// Expressions, constants and casts of a body: which calls they stand for, what the inner edges are called.
#include <gtest/gtest.h>

#include "fusecheck/philox.hpp"
#include "graph/body.hpp"
#include "support/expect_error.hpp"

namespace fusecheck::graph {
namespace {

using fusecheck::testing::expect_error;
using ::testing::HasSubstr;

std::string canonical(std::string_view text) { return to_text(parse_body(text)); }

// The innermost value is formed first, the left operand before the right one.
TEST(Expression, InnerValuesAreNamedInTheOrderInWhichTheyAreFormed) {
  EXPECT_EQ(canonical("y = relu(relu(x) + r)"), "t1 = relu(x); t2 = add(t1, r); y = relu(t2)");
  EXPECT_EQ(canonical("y = relu(a) + relu(b)"), "t1 = relu(a); t2 = relu(b); y = add(t1, t2)");
  EXPECT_EQ(canonical("t1 = relu(x); y = relu(t1) + t3"), "t1 = relu(x); t2 = relu(t1); y = add(t2, t3)");
}

TEST(Expression, PlusBindsLeftToRight) {
  EXPECT_EQ(canonical("y = a + b + c"), "t1 = add(a, b); y = add(t1, c)");
  EXPECT_EQ(canonical("y = a + (b + c)"), "t1 = add(b, c); y = add(a, t1)");
}

TEST(Expression, NumbersAreConstantsAndNoInputs) {
  EXPECT_EQ(canonical("y = x + 2.50"), "y = add(x, 2.5)");
  EXPECT_EQ(canonical("y = x + -.5e-3"), "y = add(x, -5e-04)");
  EXPECT_EQ(literal("-0.5"), -0.5);
  EXPECT_EQ(literal("x2"), std::nullopt);
  OpDef op;
  op.body = "y = x + 2";
  const Interface interface = interface_of(op);
  ASSERT_EQ(interface.inputs.size(), 1u);
  EXPECT_EQ(interface.inputs[0].name, "x");
}

TEST(Expression, ACastIsAnEdgeWithAType) {
  const Body body = parse_body("s = f16(conv2d(x, w)); y = relu(bf16(s + r))");
  EXPECT_EQ(to_text(body), "t1 = conv2d(x, w); s = f16(t1); t2 = add(s, r); t3 = bf16(t2); y = relu(t3)");
  EXPECT_EQ(body.nodes[1].cast, DType::f16);
  EXPECT_EQ(body.nodes[3].cast, DType::bf16);
  EXPECT_EQ(body.nodes[4].cast, std::nullopt);
}

TEST(Expression, LinesAndComments) {
  EXPECT_EQ(canonical("# residual\na = relu(x)  # first\n\ny = relu(a) +\n    r\n"),
            "a = relu(x); t1 = relu(a); y = add(t1, r)");
  EXPECT_EQ(canonical("y = conv2d(x,\n  w,\n  kernel=1)"), "y = conv2d(x, w, kernel=[1, 1])");
}

TEST(Expression, AttributesAreWidenedAndKept) {
  EXPECT_EQ(canonical("y = conv2d(x, w, oc=oc2, pad=[1, 2])"), "y = conv2d(x, w, oc=oc2, pad=[1, 2, 1, 2])");
  EXPECT_EQ(canonical("y = batch_norm(x, g, b, m, v, bn=train)"), "y = batch_norm(x, g, b, m, v, bn=1)");
}

const std::vector<std::string>& valid_bodies() {
  static const std::vector<std::string> bodies = {
      "conv = conv2d(x, w, b); bn = batch_norm(conv, gamma, beta, mean, var); y = relu(bn)",
      "c = conv2d(x, w, kernel=1, pad=[0, 1, 2, 1], oc=oc2); s = f16(c); y = relu(s + r + 2.5e-1)",
      "a = relu(x)\ny = relu((a + b) + -1) # end",
  };
  return bodies;
}

TEST(Expression, CanonicalTextIsAFixedPoint) {
  for (const std::string& text : valid_bodies()) EXPECT_EQ(canonical(canonical(text)), canonical(text)) << text;
}

// Whatever a text holds: a body, or one clean refusal. 60,000 texts, one to four bytes of a valid one changed.
TEST(Expression, DamagedTextsAreReadOrRefused) {
  const std::string alphabet = "xyt12.e()[]{}=;,+-*/^#\n \"'\\\x01\xff_relu";
  const Philox rng(7, "damaged bodies");
  std::uint64_t draw = 0;
  const auto below = [&](std::size_t n) {
    return static_cast<std::size_t>(rng.integer(draw++, 0, static_cast<std::int64_t>(n) - 1));
  };
  int read = 0;
  int refused = 0;
  for (int i = 0; i < 60000; ++i) {
    std::string text = valid_bodies()[below(valid_bodies().size())];
    for (std::size_t change = 1 + below(4); change > 0; --change) {
      const std::size_t at = below(text.size());
      const char byte = alphabet[below(alphabet.size())];
      const std::size_t kind = below(3);
      if (kind == 0) text[at] = byte;
      if (kind == 1) text.insert(at, 1, byte);
      if (kind == 2) text.erase(at, 1);
    }
    try {
      const std::string first = canonical(text);
      EXPECT_EQ(canonical(first), first) << text;
      ++read;
    } catch (const Error& error) {
      EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(ErrorKind::usage)) << text << ": " << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << text;
      ++refused;
    }
  }
  EXPECT_GT(read, 100);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace fusecheck::graph
