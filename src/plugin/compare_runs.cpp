#include "plugin/compare_runs.hpp"

#include <algorithm>
#include <cstring>

#include "base/text.hpp"

namespace fusecheck::plugin {
namespace {

std::uint64_t element(const Tensor& tensor, std::size_t size, std::int64_t i) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, tensor.bytes().data() + static_cast<std::size_t>(i) * size, size);
  return bits;
}

std::string index_text(std::int64_t flat, const Shape& shape) {
  std::vector<std::string> parts;
  for (const std::int64_t i : index_of(flat, shape)) parts.push_back(std::to_string(i));
  return "[" + base::join(parts, ",") + "]";
}

}  // namespace

Unwritten unwritten(const TensorPlace& place, const std::vector<Run>& runs) {
  const std::size_t size = size_of(place.dtype);
  const Shape shape = place.stored_shape();
  Unwritten found;
  found.size = element_count(shape);
  std::int64_t first = 0, last = 0;
  for (std::int64_t i = 0; i < found.size; ++i) {
    const bool untouched = std::all_of(runs.begin(), runs.end(), [&](const Run& run) {
      return element(run.stored.find(place.name)->second, size, i) == pattern_of(place.dtype, run.poison);
    });
    if (!untouched) continue;
    if (found.count == 0) first = i;
    last = i;
    ++found.count;
  }
  if (found.count == 0) return found;
  found.text = std::to_string(found.count) + " of " + std::to_string(found.size) + " elements of " + place.name;
  if (found.count == found.size) return found;
  if (first == found.size - found.count) {
    found.text += ", all of them the last " + std::to_string(found.count) + ", from " + index_text(first, shape);
  } else {
    found.text += ", from " + index_text(first, shape) + " to " + index_text(last, shape);
  }
  return found;
}

std::optional<std::string> difference(const CaseFolder& folder, const Run& a, const Run& b) {
  for (const TensorPlace& place : folder.outputs) {
    const Tensor& one = a.stored.find(place.name)->second;
    const Tensor& other = b.stored.find(place.name)->second;
    if (std::memcmp(one.bytes().data(), other.bytes().data(), one.bytes().size()) == 0) continue;
    const std::size_t size = size_of(place.dtype);
    const std::uint64_t poison = pattern_of(place.dtype, a.poison), other_poison = pattern_of(place.dtype, b.poison);
    std::int64_t count = 0, first = -1;
    for (std::int64_t i = 0; i < one.size(); ++i) {
      const std::uint64_t left = element(one, size, i), right = element(other, size, i);
      if (left == right || (left == poison && right == other_poison)) continue;
      if (first < 0) first = i;
      ++count;
    }
    if (count == 0) continue;
    return place.name + ": " + std::to_string(count) + " of " + std::to_string(one.size()) + " elements, first at " +
           index_text(first, place.stored_shape()) + ", " + base::number_text(one.at(first)) + " and " +
           base::number_text(other.at(first));
  }
  return std::nullopt;
}

}  // namespace fusecheck::plugin
