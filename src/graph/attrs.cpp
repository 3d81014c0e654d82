#include "fusecheck/attrs.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "fusecheck/dtype.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck {
namespace {

std::vector<double> widened(const AttrSpec& spec, std::vector<double> value, std::string_view op) {
  const int given = static_cast<int>(value.size());
  if (std::find(spec.counts.begin(), spec.counts.end(), given) == spec.counts.end()) {
    std::string counts;
    for (int n : spec.counts) counts += (counts.empty() ? "" : " or ") + std::to_string(n);
    usage_error(std::string(op) + ": " + spec.name + " takes " + counts + " numbers, got " + std::to_string(given));
  }
  const std::size_t full = spec.fallback.size();
  if (value.size() == 1) value.assign(full, value[0]);
  const std::size_t axes = value.size();
  for (std::size_t axis = 0; axis < axes && axes * 2 == full; ++axis) value.push_back(value[axis]);
  return value;
}

void check_range(const AttrSpec& spec, double value, std::string_view op) {
  if (!(value >= spec.low && value <= spec.high)) {
    usage_error(std::string(op) + ": " + spec.name + " " + base::number_text(value) + " is outside [" +
                base::number_text(spec.low) + ", " + base::number_text(spec.high) + "]: " + spec.doc);
  }
  if (spec.whole && value != std::floor(value)) {
    usage_error(std::string(op) + ": " + spec.name + " " + base::number_text(value) + " is not a whole number: " + spec.doc);
  }
}

}  // namespace

double Attrs::number(std::string_view name) const { return list(name).at(0); }

std::int64_t Attrs::integer(std::string_view name, std::size_t i) const {
  const std::vector<double>& values = list(name);
  if (i >= values.size()) internal_error("attribute " + std::string(name) + " has no number " + std::to_string(i));
  return static_cast<std::int64_t>(values[i]);
}

const std::vector<double>& Attrs::list(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) internal_error("attribute " + std::string(name) + " is not set");
  return found->second;
}

Attrs complete_attrs(const std::vector<AttrSpec>& specs, const Attrs& given, std::string_view op) {
  std::vector<std::string> names;
  for (const AttrSpec& spec : specs) names.push_back(spec.name);
  for (const auto& [name, value] : given.all()) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      usage_error(std::string(op) + " has no attribute '" + name + "'" + base::hint(name, names));
    }
  }
  Attrs complete;
  for (const AttrSpec& spec : specs) {
    std::vector<double> value = given.has(spec.name) ? widened(spec, given.list(spec.name), op) : spec.fallback;
    for (double& number : value) {
      check_range(spec, number, op);
      number = round_to(DType::f32, number);  // attributes are f32 values (NUMERICS.md J1)
    }
    complete.set(spec.name, std::move(value));
  }
  return complete;
}

}  // namespace fusecheck
