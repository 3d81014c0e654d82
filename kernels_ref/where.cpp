// where:  y = a where condition holds, else b      da = dy where it holds, else 0      db = dy where it does not
//
// All three broadcast; gradients are summed over the axes along which an operand was repeated. What is not chosen does
// not matter: a NaN there stays behind.
//
// Example: condition = [1, 0], a = [2, 3], b = [4, 5], dy = [6, 7]  ->  y = [2, 5], da = [6, 0], db = [0, 7].
#include <utility>

#include "family/draw.hpp"
#include "family/move.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

void infer(Shapes& shapes, const Attrs&) {
  const Shape condition = shapes.at("condition");
  for (const char* name : {"a", "b"}) shapes.try_emplace(name, condition);
  shapes["y"] = broadcast_shape(condition, broadcast_shape(shapes["a"], shapes["b"]));
}

// Whether condition holds, for each element of y.
std::vector<std::int64_t> chosen(Kernel& k, Io& io, const Shape& y) {
  return k.integers(family::repeated(k, io["condition"], y));
}

Indices positions(const std::vector<std::int64_t>& condition, std::int64_t otherwise, bool keep_where) {
  std::vector<std::int64_t> from(condition.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto here = static_cast<std::int64_t>(i);
    from[i] = (condition[i] != 0) == keep_where ? here : otherwise < 0 ? -1 : otherwise + here;
  }
  return std::make_shared<const std::vector<std::int64_t>>(std::move(from));
}

void forward(Kernel& k, Io& io) {
  const Shape y = broadcast_shape(io["condition"].shape, broadcast_shape(io["a"].shape, io["b"].shape));
  const std::int64_t n = element_count(y);
  const Value a = k.reshape(family::repeated(k, io["a"], y), {n});
  const Value b = k.reshape(family::repeated(k, io["b"], y), {n});
  io.out("y", k.pick(k.join({a, b}, 0), y, positions(chosen(k, io, y), n, true), 0));
}

void backward(Kernel& k, Io& io) {
  const Value& dy = io["dy"];
  const std::vector<std::int64_t> condition = chosen(k, io, dy.shape);
  for (const auto& [name, holds] : {std::pair{"a", true}, std::pair{"b", false}}) {
    const Value part = k.pick(dy, dy.shape, positions(condition, -1, holds), 0);
    io.out(std::string("d") + name, family::sum_to(k, part, io[name].shape));
  }
}

}  // namespace

OpDef where() {
  OpDef op;
  op.name = "where";
  op.formula = "y = a if condition, else b";
  op.inputs = {
      {.name = "condition", .role = Role::mask, .doc = "any shape", .draw = family::draw_bit, .gradient = false},
      {.name = "a", .doc = "a shape that broadcasts with the others", .draw = family::draw_activation},
      {.name = "b", .doc = "a shape that broadcasts with the others", .draw = family::draw_activation}};
  op.outputs = {{.name = "y", .doc = "the broadcast shape"}};
  op.infer = infer;
  op.forward = forward;
  op.backward = backward;
  return op;
}

}  // namespace fusecheck::ops
