// SqueezeExcite:  y[n,c,h,w] = x[n,c,h,w]·g[n,c]
//
//   p = mean over h, w of x;  r = relu(w1·p + b1);  e = w2·r + b2;  g = hard_sigmoid(e)
//
//   dg = Σ_{h,w} dy·x            de = dg/6·[-3 < e < 3]
//   dr = w2ᵀ·de,  dw2 = de·rᵀ,  db2 = Σ_n de
//   da = dr·[r > 0]              dp = w1ᵀ·da,  dw1 = da·pᵀ,  db1 = Σ_n da
//   dx = dy·g + dp/(h·w)         x is read twice
//
// w1 [squeeze, c, 1, 1], w2 [c, squeeze, 1, 1]: --attr squeeze=S with --oc C, the channels of x. Recipe epilogue: p, r
// and g never leave the chip; p and r enter their products in the operand type, de and da likewise.
//
// Example (n = c = squeeze = 1): x = [2, 4], w1 = 1, b1 = -1, w2 = 3, b2 = -6: p = 3, r = 2, e = 0, g = 1/2: y = [1,
// 2]. dy = [6, 0]: dg = 12, de = 2, dr = da = 6, dp = 6: dx = [3 + 3, 3], dw2 = 4, db2 = 2, dw1 = 18, db1 = 6.
#include "family/activation.hpp"
#include "family/conv.hpp"
#include "family/draw.hpp"
#include "family/reduce.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

struct Gate {
  Value p, a, r, e, g;
};

Gate gate(Kernel& k, Io& io) {
  Gate s;
  s.p = k.operand("pool", family::mean_in_any_order(k, io["x"], {2, 3}));
  s.a = k.conv2d(s.p, io["w1"], io.optional("b1"), {});
  s.r = k.operand("r", k.relu(s.a));
  s.e = k.round("e", k.conv2d(s.r, io["w2"], io.optional("b2"), {}));
  s.g = k.round("g", family::hard_gate(k, s.e));
  return s;
}

void forward(Kernel& k, Io& io) {
  const Gate s = gate(k, io);
  const family::Between inside = family::between(k, s.e, -3, 3);
  io.save("r_mask", k.positive(s.a));
  io.save("g_mask", inside.above);
  io.save("mask_high", inside.below);
  io.out("y", k.mul(io["x"], s.g));
}

void backward(Kernel& k, Io& io) {
  const Gate s = gate(k, io);
  const Value &x = io["x"], &dy = io["dy"];
  const Value dg = k.sum(k.mul(dy, x), {2, 3});
  const Value kept_de = k.mul(family::sixth(k, dg), k.mul(io["g_mask"], io["mask_high"]));
  const Value de = k.operand("de", kept_de);
  io.out("dw2", k.conv2d_weight_gradient(s.r, de, io["w2"].shape, {}));
  const Value kept_da = k.mul(k.conv2d_data_gradient(de, io["w2"], s.r.shape, {}), io["r_mask"]);
  const Value da = k.operand("da", kept_da);
  io.out("dw1", k.conv2d_weight_gradient(s.p, da, io["w1"].shape, {}));
  if (io.given("b1")) {
    io.out("db2", family::channel_sum(k, k.either(de, kept_de)));
    io.out("db1", family::channel_sum(k, k.either(da, kept_da)));
  }
  const Value dp = k.conv2d_data_gradient(da, io["w1"], s.p.shape, {});
  io.out("dx", k.add(k.mul(dy, s.g), family::divided(k, dp, family::count_along(x.shape, {2, 3}))));
}

// Both products stay where relu and the gate pass gradients on: w is of the size of 1/K, K the length of its sums.
//   w1   three of four above 0, as the means of x are, so that most of r is
//   w2   of either sign, so that e lies on both sides of 0, mostly within 3; in stress data two channels of eight have
//        one sign and sums twenty times as large, so that the gate is shut and open there
//   b2   at most 1, of either sign
double draw_scaled(const DrawContext& draw, std::int64_t element) {
  const auto i = static_cast<std::uint64_t>(element);
  double scale = 1;  // a power of two: exact data stay exact
  while (scale * static_cast<double>(draw.shape[1]) > 1) scale /= 2;
  if (draw.set == DataSet::exact) return scale * static_cast<double>(draw.rng.integer(i, 1, 2));
  return scale * (0.5 + draw.rng.uniform(i));
}

double draw_w1(const DrawContext& draw, std::int64_t element) {
  const bool last = family::along(draw.shape, 1, element) == draw.shape[1] - 1;
  const double scale = draw.set == DataSet::stress && last ? 0.125 : 1;  // x is eight times as large there
  return (element % 4 == 3 ? -scale : scale) * draw_scaled(draw, element);
}

double draw_w2(const DrawContext& draw, std::int64_t element) {
  if (draw.set == DataSet::stress) {
    const std::int64_t from_last = draw.shape[0] - 1 - family::along(draw.shape, 0, element);
    if (from_last % 8 == 1) return 20 * draw_scaled(draw, element);
    if (from_last % 8 == 2) return -20 * draw_scaled(draw, element);
  }
  return ((element + element / draw.shape[1]) % 2 == 0 ? 1 : -1) * draw_scaled(draw, element);
}

double draw_b2(const DrawContext& draw, std::int64_t element) {
  const auto i = static_cast<std::uint64_t>(element);
  const double size = draw.set == DataSet::exact ? 0.25 * static_cast<double>(draw.rng.integer(i, 1, 4))
                                                 : 0.25 + 0.75 * draw.rng.uniform(i);
  return element % 2 == 0 ? -size : size;
}

}  // namespace

OpDef squeeze_excite() {
  OpDef op;
  op.name = "SqueezeExcite";
  op.aliases = {"SEBlock"};
  op.formula = "y = x*hard_sigmoid(w2*relu(w1*mean(x) + b1) + b2)";
  op.body =
      "pool = global_avg_pool(x); a = conv2d(pool, w1, b1, oc=squeeze, kernel=1, stride=1, pad=0, dilation=1, "
      "groups=1);"
      "r = relu(a); e = conv2d(r, w2, b2, kernel=1, stride=1, pad=0, dilation=1, groups=1); g = hard_sigmoid(e);"
      "y = mul(x, g)";
  op.inputs = {{.name = "w1", .doc = "squeeze, c, 1, 1", .draw = draw_w1},
               {.name = "w2", .doc = "c, squeeze, 1, 1", .draw = draw_w2},
               {.name = "b2", .doc = "c", .draw = draw_b2}};
  // p, r, de, da and the output itself.
  op.recipes = {{.name = "epilogue",
                 .doc = "means and gate stay on chip, the operands of the two products rounded to storage",
                 .forward = forward,
                 .backward = backward,
                 .budget = 5}};
  return op;
}

}  // namespace fusecheck::ops
