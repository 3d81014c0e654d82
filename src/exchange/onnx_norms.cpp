// Normalisations, losses and activations that are several operators in opset 17.
#include <limits>

#include "exchange/onnx_call.hpp"

namespace fusecheck::exchange {
namespace {

using Integers = std::vector<std::int64_t>;

std::string plus(OnnxCall& call, const std::string& a, const std::string& b) { return call.node("Add", {a, b}); }
std::string minus(OnnxCall& call, const std::string& a, const std::string& b) { return call.node("Sub", {a, b}); }
std::string times(OnnxCall& call, const std::string& a, const std::string& b) { return call.node("Mul", {a, b}); }
std::string over(OnnxCall& call, const std::string& a, const std::string& b) { return call.node("Div", {a, b}); }

std::string mean(OnnxCall& call, const std::string& value, const Integers& axes) {
  return call.node("ReduceMean", {value}, {{"axes", axes}, {"keepdims", std::int64_t{1}}});
}

std::string root_with_eps(OnnxCall& call, const std::string& variance) {
  return call.node("Sqrt", {plus(call, variance, call.number(call.attrs().number("eps")))});
}

float eps_of(const OnnxCall& call) { return static_cast<float>(call.attrs().number("eps")); }

// value·gamma + beta, one number for each channel.
std::string affine(OnnxCall& call, const std::string& value) {
  const std::size_t rank = call.shape("x").size();
  const std::string scaled = times(call, value, call.along(call.in("gamma"), 1, rank));
  return plus(call, scaled, call.along(call.in("beta"), 1, rank));
}

// BatchNormalization's training mode keeps the biased variance; running_var here is the unbiased one, as PyTorch's.
std::string trained(OnnxCall& call) {
  const Shape& x = call.shape("x");
  Integers axes;
  for (std::size_t axis = 0; axis < x.size(); ++axis) {
    if (axis != 1) axes.push_back(static_cast<std::int64_t>(axis));
  }
  const std::string mu = mean(call, call.in("x"), axes);
  const std::string d = minus(call, call.in("x"), mu);
  const std::string v = mean(call, times(call, d, d), axes);
  const double m = call.attrs().number("momentum");
  const auto n = static_cast<double>(element_count(x) / x[1]);
  const auto running = [&](const char* old, const std::string& batch, double weight) {
    return plus(call, times(call, call.in(old), call.number(1 - m)),
                times(call, call.reshaped(batch, {x[1]}), call.number(weight)));
  };
  call.also("running_mean", running("mean", mu, m));
  call.also("running_var", running("var", v, m * n / (n - 1)));
  return affine(call, over(call, d, root_with_eps(call, v)));
}

}  // namespace

std::string emit_batch_norm(OnnxCall& call) {
  if (call.attrs().integer("bn") == 1) return trained(call);
  return call.node("BatchNormalization",
                   {call.in("x"), call.in("gamma"), call.in("beta"), call.in("mean"), call.in("var")},
                   {{"epsilon", eps_of(call)}});
}

std::string emit_layer_norm(OnnxCall& call) {
  return call.node("LayerNormalization", {call.in("x"), call.in("gamma"), call.in("beta")},
                   {{"axis", call.attrs().integer("axis")}, {"epsilon", eps_of(call)}});
}

std::string emit_rms_norm(OnnxCall& call) {
  const auto rank = static_cast<std::int64_t>(call.shape("x").size());
  const std::int64_t given = call.attrs().integer("axis");
  Integers axes;
  for (std::int64_t axis = given < 0 ? given + rank : given; axis < rank; ++axis) axes.push_back(axis);
  const std::string squares = times(call, call.in("x"), call.in("x"));
  const std::string root = root_with_eps(call, mean(call, squares, axes));
  return times(call, over(call, call.in("x"), root), call.in("gamma"));
}

// InstanceNormalization over n, groups, the rest; the affine part is by channels. GroupNormalization comes in opset 18.
std::string emit_group_norm(OnnxCall& call) {
  const Shape& x = call.shape("x");
  const std::int64_t groups = call.attrs().has("num_groups") ? call.attrs().integer("num_groups") : x[1];
  const std::string grouped = call.reshaped(call.in("x"), {x[0], groups, element_count(x) / (x[0] * groups)});
  const auto all = static_cast<std::size_t>(groups);
  const std::string ones = call.numbers({groups}, std::vector<double>(all, 1), call.type());
  const std::string zeros = call.numbers({groups}, std::vector<double>(all, 0), call.type());
  const std::string xhat = call.node("InstanceNormalization", {grouped, ones, zeros}, {{"epsilon", eps_of(call)}});
  return affine(call, call.reshaped(xhat, x));
}

// x·(1 + erf(x/√2))/2, or x·(1 + tanh(√(2/π)·(x + 0.044715·x³)))/2: the operator Gelu comes in opset 20.
std::string emit_gelu(OnnxCall& call) {
  const std::string x = call.in("x");
  std::string bent;
  if (call.attrs().integer("approximate") == 1) {
    const std::string cube = times(call, x, times(call, x, x));
    const std::string inner = plus(call, x, times(call, cube, call.number(0.044715)));
    bent = call.node("Tanh", {times(call, inner, call.number(0.79788456080286535588))});
  } else {
    bent = call.node("Erf", {times(call, x, call.number(0.70710678118654752440))});
  }
  return times(call, times(call, x, call.number(0.5)), plus(call, bent, call.number(1)));
}

// -Inf where masked, and 0 in the end: a row that is masked altogether is NaN between.
std::string emit_masked_softmax(OnnxCall& call) {
  const std::string open =
      call.node("Where", {call.in("masked"), call.number(-std::numeric_limits<double>::infinity()), call.in("x")});
  const std::string shares = call.node("Softmax", {open}, {{"axis", std::int64_t{-1}}});
  return call.node("Where", {call.in("masked"), call.number(0), shares});
}

// Not SoftmaxCrossEntropyLoss: it leaves out one target, here any negative one is.
std::string emit_cross_entropy(OnnxCall& call) {
  const std::string zero = call.numbers({}, {0}, DType::i32);
  const std::string left_out = call.node("Less", {call.in("target"), zero});
  const std::string target = call.node("Where", {left_out, zero, call.in("target")});
  const std::string column = call.node("Unsqueeze", {target, call.integers({-1})});
  const std::string logs = call.node("LogSoftmax", {call.in("x")}, {{"axis", std::int64_t{-1}}});
  const std::string picked = call.node("GatherElements", {logs, column}, {{"axis", std::int64_t{-1}}});
  const std::string row = call.node("Neg", {call.node("Squeeze", {picked, call.integers({-1})})});
  const std::string loss = call.node("Where", {left_out, call.number(0), row});
  const std::int64_t reduction = call.attrs().integer("reduction");  // 0 none, 1 mean, 2 sum
  if (reduction == 0) return loss;
  const auto total = [&](const std::string& value) {
    return call.node("ReduceSum", {value}, {{"keepdims", std::int64_t{0}}});
  };
  if (reduction == 2) return total(loss);
  const std::string counts = call.node("Where", {left_out, call.number(0), call.number(1)});
  return over(call, total(loss), total(counts));
}

}  // namespace fusecheck::exchange
