#include "run/layout_ops.hpp"

namespace fusecheck::run {

Shape joined_shape(const std::vector<Shape>& parts, int axis) {
  Shape shape = parts.at(0);
  const auto at = static_cast<std::size_t>(axis);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    Shape same = parts[i];
    if (same.size() != shape.size()) internal_error("join: " + to_text(shape) + " and " + to_text(parts[i]));
    same[at] = shape[at];
    if (same != shape) internal_error("join: " + to_text(shape) + " and " + to_text(parts[i]) + " differ off the axis");
    shape[at] += parts[i][at];
  }
  return shape;
}

}  // namespace fusecheck::run
