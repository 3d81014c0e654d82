// Attributes of an op: stride, pad, eps ... Each value is a list of numbers; a scalar is a list of one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fusecheck {

// One attribute that an op understands.
struct AttrSpec {
  std::string name;
  std::vector<double> fallback;  // its default
  std::string doc;               // one line, with the unit or the order of the numbers
  double low = 0, high = 1e18;   // every number must lie in [low, high]
  bool whole = true;             // integers only
  std::vector<int> counts = {1}; // accepted list lengths; a shorter list is widened as conv attributes are: 1 -> all,
                                 // one for each axis of 2 each: 2 of 4 -> top, left, bottom,
                                 // right = h, w, h, w
};

class Attrs {
 public:
  bool has(std::string_view name) const { return values_.contains(name); }
  void set(std::string name, std::vector<double> value) { values_[std::move(name)] = std::move(value); }
  double number(std::string_view name) const;                     // internal error when absent
  std::int64_t integer(std::string_view name, std::size_t i = 0) const;
  const std::vector<double>& list(std::string_view name) const;
  const std::map<std::string, std::vector<double>, std::less<>>& all() const { return values_; }
  bool operator==(const Attrs&) const = default;

 private:
  std::map<std::string, std::vector<double>, std::less<>> values_;
};

// Fills in defaults, widens lists, checks ranges. Usage error: an unknown name (with a suggestion), a value out of range.
Attrs complete_attrs(const std::vector<AttrSpec>& specs, const Attrs& given, std::string_view op);

}  // namespace fusecheck
