// The parts of attention, as its primitives and the fused op use them.
//
//   q [b,h,m,d], k [b,g,n,d], v [b,g,n,e]; head i of q reads head i/(h/g) of k and v (grouped queries; g = h is usual)
//   s = c·q·kᵀ  [b,h,m,n]                                           c = scale, or 1/√d where that is 0
//   t = cap·tanh(s/cap), or s where cap is 0;  t + mask;  -Inf where keep is 0 or a causal mask hides the key
//   p = e^(t - max t)/Σ e^(t - max t)  along the keys               0 in a row that sees no key
//   y = p·v  [b,h,m,e]
//
//   dv = pᵀ·dy     dp = dy·vᵀ     ds = p·(dp - Σ dp·p)·(1 - tanh²(s/cap))     dq = c·ds·k     dk = c·dsᵀ·q
//
// causal = 1: query i sees the keys j <= i (aligned at the top left); 2: j <= i + n - m (at the bottom right, as when
// the queries are the last m of n positions). The mask gets no gradient.
#pragma once

#include "fusecheck/op.hpp"

namespace fusecheck::family {

// The attributes of attention_scores: scale; of attention_softmax: causal, soft_cap, tile.
std::vector<AttrSpec> score_attrs();
std::vector<AttrSpec> softmax_attrs();

Shape score_shape(const Shape& q, const Shape& k);    // usage error where they do not fit
Shape context_shape(const Shape& p, const Shape& v);  // the same
Value scale_of(Kernel& k, const Attrs& attrs, const Shape& q);

// a·bᵀ (or a·b) of every head with its key head; and the gradients, those of b summed over the heads that share it.
Value heads_times_transposed(Kernel& k, const Value& a, const Value& b);
Value heads_times(Kernel& k, const Value& a, const Value& b);
// aᵀ·c of every head, summed over the heads that share a key head: the shape [b,g,n,..].
Value heads_transposed_times(Kernel& k, const Value& a, const Value& c, std::int64_t key_heads);

// t of s and its masks (absent ones empty) for the keys [begin, begin + the last axis of s) of n.
struct Masks {
  Value mask, keep;
  std::int64_t begin = 0, keys = 0;
};
Value masked_scores(Kernel& k, const Attrs& attrs, const Value& s, const Masks& masks);
// ds of dt.
Value score_gradient(Kernel& k, const Attrs& attrs, const Value& s, const Value& dt);

// The largest t of each row, but finite in a row that sees no key: e^(t - m) is 0 there and not NaN.
Value row_maximum(Kernel& k, const Value& t);
// Σ e^(t - m), but not 0 in such a row: 0 over it is 0.
Value row_total(Kernel& k, const Value& e);
Value nonzero(Kernel& k, const Value& total);

}  // namespace fusecheck::family
