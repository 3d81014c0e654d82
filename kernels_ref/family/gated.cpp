#include "family/gated.hpp"

#include <utility>

#include "family/move.hpp"

namespace fusecheck::family {
namespace {

Value half(Kernel& k, const Value& x, int which) {
  const std::size_t last = x.shape.size() - 1;
  const std::int64_t length = x.shape[last] / 2;
  return sliced(k, x, range_along(x.shape, last, {which * length, (which + 1) * length, 1}));
}

}  // namespace

Recipe gated_recipe(int gate, std::function<Function(const Attrs&)> f,
                    std::function<Function(const Attrs&)> derivative) {
  Recipe r;
  r.name = "fused";
  r.doc = "everything in f32, one rounding";
  r.forward = [gate, f](Kernel& k, Io& io) {
    const Value g = k.round("g", k.function(f(io.attrs()), half(k, io["x"], gate)));
    io.out("y", k.mul(g, half(k, io["x"], 1 - gate)));
  };
  r.backward = [gate, f, derivative = std::move(derivative)](Kernel& k, Io& io) {
    const Value& dy = io["dy"];
    const Value inner = half(k, io["x"], gate), other = half(k, io["x"], 1 - gate);
    const Value d_other = k.mul(dy, k.function(f(io.attrs()), inner));
    const Value d_inner = k.mul(k.mul(dy, other), k.function(derivative(io.attrs()), inner));
    io.out("dx", k.join(gate == 0 ? std::vector<Value>{d_inner, d_other} : std::vector<Value>{d_other, d_inner},
                        static_cast<int>(dy.shape.size()) - 1));
  };
  r.budget = 1;
  return r;
}

}  // namespace fusecheck::family
