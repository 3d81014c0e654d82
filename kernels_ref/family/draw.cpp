#include "family/draw.hpp"

#include "fusecheck/error.hpp"

namespace fusecheck::family {

std::int64_t along(const Shape& shape, std::size_t axis, std::int64_t element) {
  std::int64_t inner = 1;
  for (std::size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
  return element / inner % shape[axis];
}

double draw_activation(const DrawContext& draw, std::int64_t element) {
  const auto i = static_cast<std::uint64_t>(element);
  if (draw.set == DataSet::exact) return static_cast<double>(draw.rng.integer(i, -2, 2));
  if (draw.set == DataSet::random) return 0.25 + draw.rng.normal(i);
  if (element % 31 == 30) return smallest_subnormal(draw.dtype) * static_cast<double>(draw.rng.integer(i, 1, 100));
  const double value = 1 + 0.5 * draw.rng.normal(i);
  const bool last_channel = draw.shape.size() > 1 && along(draw.shape, 1, element) == draw.shape[1] - 1;
  return last_channel ? 8 * value : value;
}

double draw_thinned(const DrawContext& draw, std::int64_t element, std::int64_t term, std::int64_t terms) {
  const auto i = static_cast<std::uint64_t>(element);
  const std::int64_t thin = terms / 512 + 1;
  const auto value = static_cast<double>(draw.rng.integer(i, -2, 2));
  if (thin == 1) return value;
  if (term == 0 || term == terms - 1) return value == 0 ? 1 : value;
  return draw.rng.integer(i + (1ULL << 40), 1, thin) == 1 ? value : 0;
}

double draw_right(const DrawContext& draw, std::int64_t element, std::size_t from_end) {
  const std::size_t rank = draw.shape.size();
  const std::int64_t terms = rank < 2 ? 1 : draw.shape[rank - from_end];
  const std::int64_t term = rank < 2 ? 0 : along(draw.shape, rank - from_end, element);
  if (draw.set == DataSet::exact) return draw_thinned(draw, element, term, terms);
  double root = 1;  // a power of two next to 1/sqrt(k)
  while (root * root * static_cast<double>(terms) > 1.5) root /= 2;
  const bool last = draw.set == DataSet::stress && term == terms - 1;
  return (last ? 4 : 1) * root * draw.rng.normal(static_cast<std::uint64_t>(element));
}

double draw_logits(const DrawContext& draw, std::int64_t element) {
  const auto i = static_cast<std::uint64_t>(element);
  if (draw.set == DataSet::exact) return static_cast<double>(draw.rng.integer(i, -2, 2));
  if (draw.set == DataSet::random) return 2 * draw.rng.normal(i);
  const bool low = draw.shape.size() > 1 && element / draw.shape.back() % 3 == 1;
  return 200 * draw.rng.uniform(i) - (low ? 220 : 100);
}

bool is_overflowing_row(const DrawContext& draw, std::size_t axis, std::int64_t element) {
  return draw.set == DataSet::stress && (draw.shape[axis] - 1 - along(draw.shape, axis, element)) % 8 == 0;
}

double draw_bit(const DrawContext& draw, std::int64_t element) {
  return static_cast<double>(draw.rng.integer(static_cast<std::uint64_t>(element), 0, 1));
}

double draw_index(const DrawContext& draw, std::int64_t element) {
  if (draw.limit < 1) usage_error("an index has nothing to point at: the axis that it indexes has length 0");
  return static_cast<double>(draw.rng.integer(static_cast<std::uint64_t>(element), 0, draw.limit - 1));
}

double draw_shift(const DrawContext& draw, std::int64_t element) {
  const auto i = static_cast<std::uint64_t>(element);
  if (draw.set == DataSet::exact) return static_cast<double>(draw.rng.integer(i, 1, 3)) * (element % 2 == 0 ? 1 : -1);
  const double value = 0.25 + 0.5 * draw.rng.uniform(i);
  return element % 3 == 2 ? -value : value;
}

}  // namespace fusecheck::family
