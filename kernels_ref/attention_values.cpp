// attention_values:  y = p·v for every head      dp = dy·vᵀ      dv = pᵀ·dy      (family/attention.hpp)
//
// Example: p = [[1, 2]], v = [[3, 1], [0, 4]] (one head), dy = [[1, -1]]
//   y = [[3, 9]],  dp = [[2, -4]],  dv = [[1, -1], [2, -2]].
#include "family/attention.hpp"
#include "family/draw.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

// Shares, as a softmax gives them: about 1/n. exact: 0 or 1.
double draw_share(const DrawContext& draw, std::int64_t element) {
  const auto i = static_cast<std::uint64_t>(element);
  if (draw.set == DataSet::exact) return static_cast<double>(draw.rng.integer(i, 0, 1));
  return 2 * draw.rng.uniform(i) / static_cast<double>(draw.shape.back());
}

void infer(Shapes& shapes, const Attrs& attrs) {
  const Shape& p = shapes.at("p");
  if (!shapes.contains("v") && p.size() == 4) {
    const std::int64_t heads = attrs.integer("kv_heads"), size = attrs.integer("value_size");
    shapes["v"] = {p[0], heads > 0 ? heads : p[1], p[3], size > 0 ? size : 64};
  }
  shapes["y"] = family::context_shape(p, shapes["v"]);
}

}  // namespace

OpDef attention_values() {
  OpDef op;
  op.name = "attention_values";
  op.formula = "y = p*v";
  op.inputs = {{.name = "p", .doc = "batch, heads, queries, keys", .draw = draw_share},
               {.name = "v", .doc = "batch, kv_heads, keys, value size", .draw = family::draw_activation}};
  op.outputs = {{.name = "y", .doc = "batch, heads, queries, value size"}};
  op.attrs = {{.name = "kv_heads", .fallback = {0}, .doc = "heads of k and v (0: as many as q has)", .high = 1 << 16},
              {.name = "value_size", .fallback = {0}, .doc = "columns of v (0: 64)", .high = 1 << 16}};
  op.infer = infer;
  op.forward = [](Kernel& k, Io& io) { io.out("y", family::heads_times(k, io["p"], io["v"])); };
  op.backward = [](Kernel& k, Io& io) {
    io.out("dp", family::heads_times_transposed(k, io["dy"], io["v"]));
    io.out("dv", family::heads_transposed_times(k, io["p"], io["dy"], io["v"].shape[1]));
  };
  return op;
}

}  // namespace fusecheck::ops
