// The parts of attention, as kernels_ref/family/attention.hpp defines them, and the turn in front of it.
#include <cmath>
#include <limits>

#include "exchange/onnx_call.hpp"

namespace fusecheck::exchange {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double lowest = -0x1.fffffep127;  // of FLOAT
constexpr std::int64_t last = -1;

// [b,h,m,d] as [b,g,h/g·m,d]: all queries that read one key head, one below the other.
std::string grouped(OnnxCall& call, const std::string& value, const Shape& s, std::int64_t key_heads) {
  return s[1] == key_heads ? value : call.reshaped(value, {s[0], key_heads, s[1] / key_heads * s[2], s[3]});
}

std::string ungrouped(OnnxCall& call, const std::string& value, const Shape& a, const Shape& y) {
  return a[1] == y[1] ? value : call.reshaped(value, y);
}

// -Inf where query i may not see key j, else what t has.
std::string causally(OnnxCall& call, const std::string& t, std::int64_t causal, const Shape& s) {
  const std::int64_t ahead = causal == 2 ? s[3] - s[2] : 0;
  std::vector<double> seen;
  for (std::int64_t i = 0; i < s[2]; ++i) {
    for (std::int64_t j = 0; j < s[3]; ++j) seen.push_back(j <= i + ahead ? 1 : 0);
  }
  return call.node("Where", {call.numbers({s[2], s[3]}, seen, DType::boolean), t, call.number(-infinity)});
}

}  // namespace

std::string emit_attention_scores(OnnxCall& call) {
  const Shape &q = call.shape("q"), &k = call.shape("k");
  const double given = call.attrs().number("scale");
  const double scale = given != 0 ? given : 1 / std::sqrt(static_cast<double>(q[3]));
  const std::string turned = call.node("Transpose", {call.in("k")}, {{"perm", std::vector<std::int64_t>{0, 1, 3, 2}}});
  const std::string product = call.node("MatMul", {grouped(call, call.in("q"), q, k[1]), turned});
  return call.node("Mul", {ungrouped(call, product, k, call.shape("s")), call.number(scale)});
}

std::string emit_attention_values(OnnxCall& call) {
  const Shape &p = call.shape("p"), &v = call.shape("v");
  const std::string product = call.node("MatMul", {grouped(call, call.in("p"), p, v[1]), call.in("v")});
  return ungrouped(call, product, v, call.shape("y"));
}

// The largest score is kept finite, and the sum off 0, so that a row that sees no key is 0 and not NaN.
std::string emit_attention_softmax(OnnxCall& call) {
  std::string t = call.in("s");
  const double cap = call.attrs().number("soft_cap");
  if (cap != 0) {
    const std::string bent = call.node("Tanh", {call.node("Div", {t, call.number(cap)})});
    t = call.node("Mul", {bent, call.number(cap)});
  }
  if (call.given("mask")) t = call.node("Add", {t, call.in("mask")});
  if (call.given("keep")) t = call.node("Where", {call.in("keep"), t, call.number(-infinity)});
  const std::int64_t causal = call.attrs().integer("causal");
  if (causal != 0) t = causally(call, t, causal, call.shape("s"));
  const std::string largest =
      call.node("ReduceMax", {t}, {{"axes", std::vector<std::int64_t>{last}}, {"keepdims", std::int64_t{1}}});
  const std::string e = call.node("Exp", {call.node("Sub", {t, call.node("Max", {largest, call.number(lowest)})})});
  const std::string total = call.node("ReduceSum", {e, call.integers({last})}, {{"keepdims", std::int64_t{1}}});
  return call.node("Div", {e, call.node("Max", {total, call.number(0x1p-126)})});
}

// x·cos + r(x)·sin with r(x) = (-x2, x1): x1 and x2 are the halves of a row, or its even and odd elements.
std::string emit_rotary_embedding(OnnxCall& call) {
  const Shape& x = call.shape("x");
  const std::int64_t half = x.back() / 2;
  const bool neighbours = call.attrs().integer("interleaved") == 1;
  Shape pairs(x.begin(), x.end() - 1);
  pairs.push_back(neighbours ? half : 2);
  pairs.push_back(neighbours ? 2 : half);
  const std::int64_t axis = neighbours ? last : last - 1;
  const std::string rows = call.reshaped(call.in("x"), pairs);
  const auto part = [&](std::int64_t begin) {
    return call.node("Slice", {rows, call.integers({begin}), call.integers({begin + 1}), call.integers({axis})});
  };
  const std::string first = part(0), second = call.node("Neg", {part(1)});
  const std::string turned = call.reshaped(call.node("Concat", {second, first}, {{"axis", axis}}), x);
  const std::string straight = call.node("Mul", {call.in("x"), call.in("cos")});
  return call.node("Add", {straight, call.node("Mul", {turned, call.in("sin")})});
}

}  // namespace fusecheck::exchange
