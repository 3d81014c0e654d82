#include "fusecheck/shape.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck {
namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 40;

}  // namespace

std::int64_t element_count(const Shape& shape) {
  for (const std::int64_t extent : shape) {
    if (extent < 0) usage_error("shape " + to_text(shape) + ": dimension " + std::to_string(extent) + " is negative");
  }
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent > most_elements / count) {
      usage_error("shape " + to_text(shape) + ": more than 2^40 elements; split the case into smaller ones");
    }
    count *= extent;
  }
  return count;
}

std::string to_text(const Shape& shape) {
  if (shape.empty()) return "scalar";
  std::string text = std::to_string(shape[0]);
  for (std::size_t axis = 1; axis < shape.size(); ++axis) text += "x" + std::to_string(shape[axis]);
  return text;
}

Shape parse_shape(std::string_view text) {
  if (text == "scalar") return {};
  const char separator = text.find('x') == std::string_view::npos ? ',' : 'x';
  const std::string what = "shape " + base::quoted(text);
  Shape shape;
  for (const std::string& part : base::split(text, separator)) {
    const std::int64_t extent = base::parse_integer(part, what);
    if (extent < 0) usage_error(what + ": dimension " + part + " is negative");
    shape.push_back(extent);
  }
  element_count(shape);
  return shape;
}

std::vector<std::int64_t> index_of(std::int64_t flat, const Shape& shape) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = flat % shape[axis];
    flat /= shape[axis];
  }
  return index;
}

Shape broadcast_shape(const Shape& a, const Shape& b) {
  const std::size_t rank = std::max(a.size(), b.size());
  Shape shape(rank, 1);
  // Aligned at the last axis; a missing axis counts as 1.
  for (std::size_t i = 1; i <= rank; ++i) {
    const std::int64_t from_a = i <= a.size() ? a[a.size() - i] : 1;
    const std::int64_t from_b = i <= b.size() ? b[b.size() - i] : 1;
    if (from_a != from_b && from_a != 1 && from_b != 1) {
      usage_error("shapes " + to_text(a) + " and " + to_text(b) + " do not broadcast: " + std::to_string(from_a) +
                  " against " + std::to_string(from_b) + " on axis " + std::to_string(rank - i) +
                  "; they must be equal, or one of them 1");
    }
    shape[rank - i] = from_a == 1 ? from_b : from_a;
  }
  return shape;
}

}  // namespace fusecheck
