// FusedAttention:  y = softmax(mask(c·q·kᵀ))·v      formulas and masks: family/attention.hpp
//
// Recipes:
//   online    q·kᵀ a tile of keys at a time, never stored. With m, l, o of the tiles so far and t of the next one:
//               m' = max(m, max t)    r = e^(m - m')    w = e^(t - m')    l' = r·l + Σ w    o' = r·o + w·v
//             y = o/l. w goes into the contraction in the operand type, l sums it unrounded. Saved: lse = m + log l,
//             and the backward computes p = e^(t - lse) again:
//               ds = p·(dp - Σ dy·y), since Σ_j dp_j·p_j = Σ_j dy·v_j·p_j = dy·y
//   any_tile  the same for a kernel that does not say its tile: w is rounded relative to a maximum that nobody knows,
//             so it may be off by one u, or half a subnormal
//   two_pass  p of the whole row in f32, rounded to the operand type once; the backward sums dp·p
//
// Example: one head, d = 1, q = [[1]], k = [[0], [0]], v = [[2], [6]], scale 1, dy = [[1]]: p = [[1/2, 1/2]], y = 4,
// dv = [[1/2], [1/2]], dp = [[2, 6]], ds = [[-1, 1]], dq = 0·(-1) + 0·1 = 0, dk = [[-1], [1]].
#include <algorithm>

#include "family/attention.hpp"
#include "family/move.hpp"
#include "family/reduce.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

Value scores(Kernel& k, Io& io, const Value& keys) {
  const Value c = family::scale_of(k, io.attrs(), io["q"].shape);
  return k.round("s", k.mul(c, family::heads_times_transposed(k, io["q"], keys)));
}

// Rows [begin, end) of the axis, or all of an axis of length 1 (a mask that is repeated along it).
Value part(Kernel& k, const Value& x, std::size_t axis, std::int64_t begin, std::int64_t end) {
  if (!x || axis >= x.shape.size() || x.shape[axis] == 1) return x;
  std::vector<family::Range> ranges;
  for (const std::int64_t length : x.shape) ranges.push_back({0, length});
  ranges[axis] = {begin, end};
  return family::sliced(k, x, ranges);
}

Value with_rank_4(Kernel& k, const Value& x) {
  if (!x) return x;
  Shape shape(4 - x.shape.size(), 1);
  shape.insert(shape.end(), x.shape.begin(), x.shape.end());
  return k.reshape(x, shape);
}

// t for the keys [begin, end).
Value tile_of(Kernel& k, Io& io, std::int64_t begin, std::int64_t end) {
  const family::Masks masks = {part(k, with_rank_4(k, io.optional("mask")), 3, begin, end),
                               part(k, with_rank_4(k, io.optional("keep")), 3, begin, end), begin, io["k"].shape[2]};
  return family::masked_scores(k, io.attrs(), scores(k, io, part(k, io["k"], 2, begin, end)), masks);
}

Value exponential(Kernel& k, const Value& a, const Value& b) { return k.function(Function::exp, k.sub(a, b)); }

using Weights = Value (*)(Kernel&, const Value&);
Value weights_as_rounded(Kernel& k, const Value& w) { return k.operand("p", w); }
// w·(1 ± u) ± min(w, η), where u and η are what `operand` makes of its type: 1 + 7·2^-11 is 7/8 u from the next bf16, u
// from the next f16, and an f32 itself; 1.5·2^-25 is 2^-26 from the next f16, half of half its smallest subnormal, and
// bf16 and f32 hold it.
Value weights_of_any_tile(Kernel& k, const Value& w) {
  const Value probe = k.constant(1 + 7 * 0x1p-11);
  const Value u = k.mul(k.constant(8.0 / 7), k.unary(Unary::absolute, k.sub(probe, k.operand("p", probe))));
  const Value tiny = k.constant(0x1.8p-25);
  const Value eta = k.mul(k.constant(2), k.unary(Unary::absolute, k.sub(tiny, k.operand("p", tiny))));
  const Value off = k.add(k.mul(u, w), k.binary(Binary::minimum, w, eta));
  return k.either(k.either(k.operand("p", w), k.add(w, off)), k.sub(w, off));
}

void forward_online(Kernel& k, Io& io, Weights weights) {
  const std::int64_t keys = io["k"].shape[2], tile = io.attrs().integer("tile");
  Value m, l, o;
  for (std::int64_t begin = 0; begin == 0 || begin < keys; begin += tile) {
    const std::int64_t end = std::min(keys, begin + tile);
    const Value t = tile_of(k, io, begin, end);
    const Value top = family::row_maximum(k, t);
    const Value next = m ? k.binary(Binary::maximum, m, top) : top;
    const Value w = exponential(k, t, next);
    const Value sum = family::row_total(k, w);
    const Value product = family::heads_times(k, weights(k, w), part(k, io["v"], 2, begin, end));
    const Value r = m ? exponential(k, m, next) : Value{};
    l = m ? k.add(k.mul(r, l), sum) : sum;
    o = m ? k.add(k.mul(r, o), product) : product;
    m = next;
  }
  l = family::nonzero(k, l);
  io.save("lse", k.add(m, k.function(Function::log, l)));
  io.out("y", k.either(k.div(o, l), k.mul(o, k.div(k.constant(1), l))));
}

// dq, dk, dv from p, ds before the soft cap, and s.
void gradients(Kernel& k, Io& io, const Value& p, const Value& dt, const Value& s) {
  const std::int64_t key_heads = io["k"].shape[1];
  io.out("dv", family::heads_transposed_times(k, k.operand("p", p), io["dy"], key_heads));
  const Value ds = k.operand("ds", family::score_gradient(k, io.attrs(), s, dt));
  const Value c = family::scale_of(k, io.attrs(), io["q"].shape);
  io.out("dq", k.mul(c, family::heads_times(k, ds, io["k"])));
  io.out("dk", k.mul(c, family::heads_transposed_times(k, ds, io["q"], key_heads)));
}

void backward_online(Kernel& k, Io& io) {
  const Value p = exponential(k, tile_of(k, io, 0, io["k"].shape[2]), io["lse"]);
  const Value dp = family::heads_times_transposed(k, io["dy"], io["v"]);
  const Value along_y = k.sum(k.mul(io["dy"], io["y"]), {3});
  gradients(k, io, p, k.mul(p, k.sub(dp, along_y)), scores(k, io, io["k"]));
}

Value whole_softmax(Kernel& k, Io& io) {
  const Value t = tile_of(k, io, 0, io["k"].shape[2]);
  const Value w = exponential(k, t, family::row_maximum(k, t));
  const Value l = family::nonzero(k, family::row_total(k, w));
  return k.either(k.div(w, l), k.mul(w, k.div(k.constant(1), l)));
}

void forward_two_pass(Kernel& k, Io& io) {
  io.out("y", family::heads_times(k, k.operand("p", whole_softmax(k, io)), io["v"]));
}

void backward_two_pass(Kernel& k, Io& io) {
  const Value p = whole_softmax(k, io);
  const Value dp = family::heads_times_transposed(k, io["dy"], io["v"]);
  gradients(k, io, p, family::softmax_gradient(k, p, dp, {3}), scores(k, io, io["k"]));
}

Recipe recipe(const char* name, const char* doc, KernelFunction forward, KernelFunction backward) {
  Recipe r;
  r.name = name;
  r.doc = doc;
  r.forward = std::move(forward);
  r.backward = std::move(backward);
  r.budget = 4;  // y (through Σ dy·y), p, ds and the gradient itself: one storage rounding each
  return r;
}

}  // namespace

OpDef fused_attention() {
  OpDef op;
  op.name = "FusedAttention";
  op.aliases = {"FlashAttention", "FlashAttentionScore"};
  op.formula = "y = softmax(mask(scale*q*k^T))*v";
  op.body = "s = attention_scores(q, k); p = attention_softmax(s, mask, keep); y = attention_values(p, v)";
  op.recipes = {
      recipe(
          "online", "online softmax over tiles of keys, scores never stored; p recomputed from lse in the backward",
          [](Kernel& k, Io& io) { forward_online(k, io, weights_as_rounded); }, backward_online),
      recipe("two_pass", "the softmax of the whole row in f32, rounded to the operand type once", forward_two_pass,
             backward_two_pass),
      recipe(
          "any_tile", "as online, whatever the tile: the weights are off by up to one rounding",
          [](Kernel& k, Io& io) { forward_online(k, io, weights_of_any_tile); }, backward_online)};
  return op;
}

}  // namespace fusecheck::ops
