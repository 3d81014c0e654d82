#include "family/attention.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "family/matmul.hpp"
#include "family/move.hpp"
#include "family/reduce.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::family {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double lowest = -0x1.fffffep127;  // of f32

// [b,h,m,d] as [b,g,h/g·m,d]: all queries that read one key head, one below the other.
Value grouped(Kernel& k, const Value& x, std::int64_t key_heads) {
  const Shape& s = x.shape;
  return k.reshape(x, {s[0], key_heads, s[1] / key_heads * s[2], s[3]});
}

// +Inf where query i may see key begin + j, else -Inf.
Value causal_limit(Kernel& k, std::int64_t causal, std::int64_t queries, std::int64_t tile, const Masks& masks) {
  const std::int64_t ahead = causal == 2 ? masks.keys - queries : 0;
  std::vector<std::int64_t> from;
  for (std::int64_t i = 0; i < queries; ++i) {
    for (std::int64_t j = 0; j < tile; ++j) from.push_back(masks.begin + j <= i + ahead ? 0 : -1);
  }
  return k.pick(k.constant(infinity), {queries, tile},
                std::make_shared<const std::vector<std::int64_t>>(std::move(from)), -infinity);
}

void require_rank(const char* name, const Shape& shape) {
  if (shape.size() == 4) return;
  usage_error(std::string("attention: ") + name + " has shape " + to_text(shape) +
              ", it needs 4 numbers: batch, heads, rows, columns");
}

void require_heads(const Shape& q, const Shape& k) {
  if (q[0] == k[0] && k[1] > 0 && q[1] % k[1] == 0) return;
  usage_error("attention: heads of " + to_text(q) + " and " + to_text(k) +
              " do not fit; the batches are equal, and the second has a divisor of the first's heads");
}

}  // namespace

std::vector<AttrSpec> score_attrs() {
  return {{.name = "scale",
           .fallback = {0},
           .doc = "factor of q*k (0: 1/sqrt(d))",
           .low = -1e6,
           .high = 1e6,
           .whole = false},
          {.name = "kv_heads", .fallback = {0}, .doc = "heads of k and v (0: as many as q has)", .high = 1 << 16},
          {.name = "keys", .fallback = {0}, .doc = "rows of k and v (0: as many as q has)", .high = 1 << 24}};
}

std::vector<AttrSpec> softmax_attrs() {
  return {{.name = "causal",
           .fallback = {0},
           .doc = "0 none; query i sees the keys up to i (1), or up to i + keys - queries (2)",
           .high = 2},
          {.name = "soft_cap",
           .fallback = {0},
           .doc = "scores become cap*tanh(s/cap) (0: they stay)",
           .high = 1e6,
           .whole = false},
          {.name = "tile",
           .fallback = {64},
           .doc = "keys in one step of a kernel with online softmax",
           .low = 1,
           .high = 1 << 20}};
}

Shape score_shape(const Shape& q, const Shape& k) {
  require_rank("q", q);
  require_rank("k", k);
  require_heads(q, k);
  if (q[3] != k[3]) {
    usage_error("attention: q " + to_text(q) + " and k " + to_text(k) + " differ in the last number, the head size");
  }
  return {q[0], q[1], q[2], k[2]};
}

Shape context_shape(const Shape& p, const Shape& v) {
  require_rank("p", p);
  require_rank("v", v);
  require_heads(p, v);
  if (p[3] != v[2]) {
    usage_error("attention: " + std::to_string(p[3]) + " keys, but v " + to_text(v) + " has " + std::to_string(v[2]));
  }
  return {p[0], p[1], p[2], v[3]};
}

Value scale_of(Kernel& k, const Attrs& attrs, const Shape& q) {
  const double given = attrs.number("scale");
  return k.constant(given != 0 ? given : 1 / std::sqrt(static_cast<double>(q[3])));
}

Value heads_times_transposed(Kernel& k, const Value& a, const Value& b) {
  const Value product = matmul(k, grouped(k, a, b.shape[1]), swapped(k, b));
  return k.reshape(product, {a.shape[0], a.shape[1], a.shape[2], b.shape[2]});
}

Value heads_times(Kernel& k, const Value& a, const Value& b) {
  const Value product = matmul(k, grouped(k, a, b.shape[1]), b);
  return k.reshape(product, {a.shape[0], a.shape[1], a.shape[2], b.shape[3]});
}

Value heads_transposed_times(Kernel& k, const Value& a, const Value& c, std::int64_t key_heads) {
  const Shape b = {a.shape[0], key_heads, a.shape[3], c.shape[3]};
  return matmul_right_gradient(k, grouped(k, a, key_heads), grouped(k, c, key_heads), b);
}

Value masked_scores(Kernel& k, const Attrs& attrs, const Value& s, const Masks& masks) {
  Value t = s;
  if (attrs.number("soft_cap") != 0) {
    const Value cap = k.constant(attrs.number("soft_cap"));
    t = k.mul(cap, k.function(Function::tanh, k.div(s, cap)));
  }
  if (masks.mask) t = k.add(t, masks.mask);
  if (masks.keep) {  // ±Inf
    const Value limit = k.mul(k.sub(masks.keep, k.constant(0.5)), k.constant(infinity));
    t = k.binary(Binary::minimum, t, limit);
  }
  const std::int64_t causal = attrs.integer("causal");
  if (causal == 0) return t;
  return k.binary(Binary::minimum, t, causal_limit(k, causal, s.shape[2], s.shape[3], masks));
}

Value score_gradient(Kernel& k, const Attrs& attrs, const Value& s, const Value& dt) {
  if (attrs.number("soft_cap") == 0) return dt;
  return k.mul(dt, k.function(Function::tanh_derivative, k.div(s, k.constant(attrs.number("soft_cap")))));
}

Value row_maximum(Kernel& k, const Value& t) {
  return k.binary(Binary::maximum, row_maximum(k, t, {3}), k.constant(lowest));
}

Value row_total(Kernel& k, const Value& e) { return k.sum(e, {3}); }

Value nonzero(Kernel& k, const Value& total) {
  return k.binary(Binary::maximum, total, k.constant(0x1p-126));  // any other row holds e^0 = 1
}

}  // namespace fusecheck::family
