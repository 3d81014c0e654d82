// attention_scores:  s = c·q·kᵀ for every head      dq = c·ds·k      dk = c·dsᵀ·q      (family/attention.hpp)
//
// Example: q = [[1, 2]], k = [[3, 1], [0, 1]] (one head, d = 2), scale 2, ds = [[1, -1]]
//   s = [[10, 4]],  dq = [[6, 0]],  dk = [[2, 4], [-2, -4]].
#include <algorithm>
#include <cmath>

#include "family/attention.hpp"
#include "family/draw.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

//   exact   integers in [-2, 2]
//   random  0.25 + normal: logits are of the size of 1
//   stress  queries about 1; keys that grow from 0 to 8/√d along their rows, so that the largest logit so far rises
//           from tile to tile up to about 8, whatever d is. Logits of some queries are all 100 larger, by the first
//           column: without the maximum subtracted e^s overflows
bool in_first_column(const DrawContext& draw, std::int64_t element) {
  return draw.shape.size() == 4 && draw.shape[3] > 1 && element % draw.shape[3] == 0;
}
constexpr double first_of_key = 2;

double draw_query(const DrawContext& draw, std::int64_t element) {
  if (draw.set != DataSet::stress) return family::draw_activation(draw, element);
  if (in_first_column(draw, element) && family::is_overflowing_row(draw, 2, element)) {
    const double given = draw.attrs.number("scale");
    const double scale = given != 0 ? given : 1 / std::sqrt(static_cast<double>(draw.shape[3]));
    return std::copysign(std::min(100 / (first_of_key * std::fabs(scale)), 0x1p15), scale);
  }
  return 1 + 0.5 * draw.rng.normal(static_cast<std::uint64_t>(element));
}

double draw_key(const DrawContext& draw, std::int64_t element) {
  if (draw.set != DataSet::stress) return family::draw_activation(draw, element);
  if (in_first_column(draw, element)) return first_of_key;
  double size = 8;  // a power of two next to 8/√d
  while (size * size * static_cast<double>(draw.shape.back()) > 96) size /= 2;
  const auto row = static_cast<double>(family::along(draw.shape, 2, element) + 1);
  const double rise = row / static_cast<double>(draw.shape[2]);
  return size * rise * (1 + 0.25 * draw.rng.normal(static_cast<std::uint64_t>(element)));
}

void infer(Shapes& shapes, const Attrs& attrs) {
  const Shape& q = shapes.at("q");
  if (!shapes.contains("k") && q.size() == 4) {
    const std::int64_t heads = attrs.integer("kv_heads"), keys = attrs.integer("keys");
    shapes["k"] = {q[0], heads > 0 ? heads : q[1], keys > 0 ? keys : q[2], q[3]};
  }
  shapes["s"] = family::score_shape(q, shapes["k"]);
}

}  // namespace

OpDef attention_scores() {
  OpDef op;
  op.name = "attention_scores";
  op.formula = "s = scale*q*k^T";
  op.inputs = {{.name = "q", .doc = "batch, heads, queries, d", .draw = draw_query},
               {.name = "k", .doc = "batch, kv_heads, keys, d", .draw = draw_key}};
  op.outputs = {{.name = "s", .doc = "batch, heads, queries, keys"}};
  op.attrs = family::score_attrs();
  op.infer = infer;
  op.forward = [](Kernel& k, Io& io) {
    const Value c = family::scale_of(k, io.attrs(), io["q"].shape);
    io.out("s", k.mul(c, family::heads_times_transposed(k, io["q"], io["k"])));
  };
  op.backward = [](Kernel& k, Io& io) {
    const Value c = family::scale_of(k, io.attrs(), io["q"].shape);
    io.out("dq", k.mul(c, family::heads_times(k, io["dy"], io["k"])));
    io.out("dk", k.mul(c, family::heads_transposed_times(k, io["dy"], io["q"], io["k"].shape[1])));
  };
  return op;
}

}  // namespace fusecheck::ops
