// log_softmax:  y = x - max x - ln Σ e^(x - max x) along an axis      dx = dy - e^y·Σ dy
//
// Subtracting the maximum is part of the meaning, as in softmax. As legal: x - (max x + ln Σ ..).
//
// Example: x = [0, 0], dy = [1, 0]  ->  y = [-ln 2, -ln 2], dx = [1/2, -1/2].
#include "family/draw.hpp"
#include "family/reduce.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

std::vector<int> axes_of(const Io& io) { return family::axes_of(io.attrs(), "axis", io["x"].shape.size()); }

}  // namespace

OpDef log_softmax() {
  OpDef op;
  op.name = "log_softmax";
  op.formula = "y = x - max(x) - ln(sum(exp(x - max(x))))";
  op.inputs = {{.name = "x", .doc = "any shape of rank 1 or more", .draw = family::draw_logits}};
  op.outputs = {{.name = "y", .doc = "the shape of x"}};
  op.attrs = {{.name = "axis", .fallback = {-1}, .doc = "along which e^y sums to 1", .low = -8, .high = 7}};
  op.infer = [](Shapes& shapes, const Attrs& attrs) {
    family::axes_of(attrs, "axis", shapes.at("x").size());
    shapes["y"] = shapes.at("x");
  };
  op.forward = [](Kernel& k, Io& io) {
    const family::Exponentials s = family::exponentials(k, io["x"], axes_of(io));
    const Value log_total = k.function(Function::log, s.total);
    const Value offset = k.add(family::row_maximum(k, io["x"], axes_of(io)), log_total);
    io.out("y", k.either(k.sub(s.shifted, log_total), k.sub(io["x"], offset)));
  };
  op.backward = [](Kernel& k, Io& io) {
    const Value& dy = io["dy"];
    io.out("dx", k.sub(dy, k.mul(k.function(Function::exp, io["y"]), k.sum(dy, axes_of(io)))));
  };
  return op;
}

}  // namespace fusecheck::ops
