// Generators of what is normalised.
#include <algorithm>

#include "family/draw.hpp"
#include "family/norm.hpp"

namespace fusecheck::family {
namespace {

// What stress data make of a row.
enum class Kind { offset, narrow, last_large, plain };
Kind kind_of(std::int64_t row) { return static_cast<Kind>(row % 4); }

constexpr double narrow_scale = 0x1p-9;  // its square is below the usual eps

double row_element(const DrawContext& draw, std::int64_t element, std::int64_t length) {
  const auto i = static_cast<std::uint64_t>(element);
  if (draw.set == DataSet::exact) return static_cast<double>(draw.rng.integer(i, -2, 2));
  const std::int64_t row = element / length;
  const double normal = draw.rng.normal(i);
  if (draw.set == DataSet::random)
    return 2 * draw.rng.uniform((1ULL << 40) + static_cast<std::uint64_t>(row)) - 1 + normal;
  switch (kind_of(row)) {
    case Kind::offset:
      return normal + (draw.dtype == DType::f32 ? 4096 : draw.dtype == DType::f16 ? 256 : 32);
    case Kind::narrow:
      return narrow_scale * (1 + normal);
    case Kind::last_large:
      return (element % length == length - 1 ? 40 : 1) * (0.5 + normal);
    default:
      return normal;
  }
}

// Elements of the axes from the attribute "axis" on. An op that reads x before it is normalised has no such attribute:
// there the rows are those of the last axis.
std::int64_t row_length(const DrawContext& draw) {
  const Rows rows = rows_of(draw.shape, draw.attrs.has("axis") ? static_cast<int>(draw.attrs.integer("axis")) : -1);
  return static_cast<std::int64_t>(count_along(draw.shape, rows.axes));
}

}  // namespace

double draw_scale(const DrawContext& draw, std::int64_t element) {
  const auto i = static_cast<std::uint64_t>(element);
  if (draw.set == DataSet::exact) return (element % 2 == 0 ? 1 : 2) * (element % 3 == 2 ? -1 : 1);
  const double value = 0.5 + draw.rng.uniform(i);
  if (draw.set == DataSet::random) return value;
  if (element % 7 == 6) return 0;
  return element % 5 == 4 ? -1.5 * value : element % 3 == 2 ? 4 * value : value;
}

double draw_rows(const DrawContext& draw, std::int64_t element) { return row_element(draw, element, row_length(draw)); }

double draw_groups(const DrawContext& draw, std::int64_t element) {
  const std::int64_t groups = draw.attrs.has("num_groups") ? draw.attrs.integer("num_groups") : draw.shape[1];
  return row_element(draw, element, element_count(draw.shape) / (draw.shape[0] * groups));
}

double draw_summand(const DrawContext& draw, std::int64_t element) {
  return draw.set == DataSet::stress ? draw_rows(draw, element) : draw_activation(draw, element);
}

double draw_other_summand(const DrawContext& draw, std::int64_t element) {
  if (draw.set != DataSet::stress) return draw_activation(draw, element);
  const double normal = draw.rng.normal(static_cast<std::uint64_t>(element));
  return kind_of(element / row_length(draw)) == Kind::narrow ? narrow_scale * normal : normal;
}

}  // namespace fusecheck::family
