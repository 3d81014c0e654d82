// attention_softmax:  p = softmax of the masked scores along the keys      (family/attention.hpp)
//
//   ds = p·(dp - Σ dp·p)·(1 - tanh²(s/cap))
//
// A row that sees no key gives p = 0 and ds = 0, as FlashAttention and PyTorch since 2.5 do. lse = max t + log Σ
// e^(t - max t), saved: e^(t - lse) is p again.
//
// Example: s = [[0, 0, 5]], causal mask with one query of three (top left: only the first key): p = [[1, 0, 0]], ds =
// 0. s = [[0, 0]], dp = [[1, 0]]  ->  p = [[1/2, 1/2]], ds = [[1/4, -1/4]].
#include <limits>

#include "family/attention.hpp"
#include "family/draw.hpp"
#include "family/reduce.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::int64_t query_of(const DrawContext& draw, std::int64_t element) {
  return draw.shape.size() < 2 ? 0 : family::along(draw.shape, draw.shape.size() - 2, element);
}

//   exact integers in [-2, 2]      random 2·normal
//   stress 20·normal, and 100 more for some queries: e^s overflows unless the maximum is subtracted
double draw_scores(const DrawContext& draw, std::int64_t element) {
  const auto i = static_cast<std::uint64_t>(element);
  if (draw.set == DataSet::exact) return static_cast<double>(draw.rng.integer(i, -2, 2));
  if (draw.set == DataSet::random) return 2 * draw.rng.normal(i);
  const bool large = draw.shape.size() > 1 && family::is_overflowing_row(draw, draw.shape.size() - 2, element);
  return (large ? 100 : 0) + 20 * draw.rng.normal(i);
}

//   exact 0 or -1      random normal      stress  also -Inf: one key in six, and every fifth query sees none
double draw_mask(const DrawContext& draw, std::int64_t element) {
  const auto i = static_cast<std::uint64_t>(element);
  if (draw.set == DataSet::exact) return static_cast<double>(draw.rng.integer(i, -1, 0));
  if (draw.set == DataSet::random) return draw.rng.normal(i);
  const bool hidden = query_of(draw, element) % 5 == 4 || draw.rng.integer(i + (1ULL << 40), 0, 5) == 0;
  return hidden ? -infinity : draw.rng.normal(i);
}

//   three keys in four; stress: every fifth query sees none
double draw_keep(const DrawContext& draw, std::int64_t element) {
  if (draw.set == DataSet::stress && query_of(draw, element) % 5 == 4) return 0;
  return draw.rng.integer(static_cast<std::uint64_t>(element), 0, 3) == 0 ? 0 : 1;
}

void infer(Shapes& shapes, const Attrs&) {
  const Shape& s = shapes.at("s");
  if (s.size() != 4) {
    usage_error("attention_softmax: s has shape " + to_text(s) + ", it needs 4 numbers: batch, heads, queries, keys");
  }
  for (const char* name : {"mask", "keep"}) {
    if (shapes.contains(std::string(name) + "?")) continue;
    const Shape& mask = shapes.try_emplace(name, Shape{1, 1, s[2], s[3]}).first->second;
    if (broadcast_shape(s, mask) != s) {
      usage_error(std::string("attention: ") + name + " has shape " + to_text(mask) +
                  ", which does not broadcast to batch, heads, queries, keys = " + to_text(s));
    }
  }
  shapes["p"] = s;
  shapes["lse"] = {s[0], s[1], s[2], 1};
}

Value masked(Kernel& k, Io& io) {
  const Value& s = io["s"];
  return family::masked_scores(k, io.attrs(), s, {io.optional("mask"), io.optional("keep"), 0, s.shape[3]});
}

}  // namespace

OpDef attention_softmax() {
  OpDef op;
  op.name = "attention_softmax";
  op.formula = "p = softmax(mask(s))";
  op.inputs = {{.name = "s", .doc = "batch, heads, queries, keys", .draw = draw_scores},
               {.name = "mask",
                .doc = "added to the scores; broadcasts to them",
                .draw = draw_mask,
                .optional = true,
                .gradient = false},
               {.name = "keep",
                .role = Role::mask,
                .doc = "0 hides a key; broadcasts to the scores",
                .draw = draw_keep,
                .optional = true,
                .gradient = false}};
  op.outputs = {{.name = "p", .doc = "the shape of s"}};
  op.saved = {{.name = "lse", .role = Role::parameter, .doc = "batch, heads, queries, 1: log of the row's sum"}};
  op.attrs = family::softmax_attrs();
  op.infer = infer;
  op.forward = [](Kernel& k, Io& io) {
    const Value t = masked(k, io);
    const Value m = family::row_maximum(k, t);
    const Value e = family::exponential(k, k.sub(t, m));
    const Value total = family::nonzero(k, family::row_total(k, e));
    io.save("lse", k.add(m, k.function(Function::log, total)));
    io.out("p", k.either(k.div(e, total), k.mul(e, k.div(k.constant(1), total))));
  };
  op.backward = [](Kernel& k, Io& io) {
    const Value dt = family::softmax_gradient(k, io["p"], io["dy"], {3});
    io.out("ds", family::score_gradient(k, io.attrs(), io["s"], dt));
  };
  return op;
}

}  // namespace fusecheck::ops
