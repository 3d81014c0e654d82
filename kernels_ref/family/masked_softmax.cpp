#include "family/masked_softmax.hpp"

#include <limits>
#include <utility>

#include "family/move.hpp"
#include "family/reduce.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::family {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// x, with `value` where hidden.
Value filled(Kernel& k, const Value& x, const std::vector<bool>& hidden, double value) {
  std::vector<std::int64_t> from(hidden.size());
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = hidden[i] ? -1 : static_cast<std::int64_t>(i);
  return k.pick(x, x.shape, std::make_shared<const std::vector<std::int64_t>>(std::move(from)), value);
}

Value shares(Kernel& k, const Value& e, const Value& total) {
  return k.either(k.div(e, total), k.mul(e, k.div(k.constant(1), total)));
}

}  // namespace

void infer_masked_softmax(Shapes& shapes, const Attrs&) {
  const Shape x = shapes.at("x");
  if (x.empty()) usage_error("masked_softmax: x is a scalar; it needs rows");
  const Shape& masked = shapes.try_emplace("masked", x).first->second;
  if (broadcast_shape(x, masked) != x) {
    usage_error("masked_softmax: masked is " + to_text(masked) + ", which does not broadcast to x = " + to_text(x));
  }
  shapes["y"] = x;
}

Value masked_softmax(Kernel& k, Io& io, const Value& z) {
  const std::vector<std::int64_t> masked = k.integers(repeated(k, io["masked"], z.shape));
  const auto length = static_cast<std::size_t>(z.shape.back());
  const std::int64_t rows = element_count(Shape(z.shape.begin(), z.shape.end() - 1));
  std::vector<bool> hidden(masked.size()), hidden_row(static_cast<std::size_t>(rows), true);
  for (std::size_t i = 0; i < masked.size(); ++i) {
    hidden[i] = masked[i] != 0;
    if (!hidden[i]) hidden_row[i / length] = false;
  }
  const std::vector<int> last = last_axes(z.shape, 1);
  const Value visible = filled(k, z, hidden, -infinity);
  const Value e = exponential(k, k.sub(visible, filled(k, row_maximum(k, visible, last), hidden_row, 0)));
  return shares(k, e, filled(k, k.sum(e, last), hidden_row, 1));
}

Value softmax_minus_10000(Kernel& k, Io& io, const Value& z) {
  const Value shifted = k.sub(z, k.mul(k.constant(10000), io["masked"]));
  const Exponentials s = exponentials(k, shifted, last_axes(z.shape, 1));
  return shares(k, s.e, s.total);
}

}  // namespace fusecheck::family
