// What a body's text may call. Each function that refuses says why, for the parser to add the place.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fusecheck/op.hpp"

namespace fusecheck::graph {

// A primitive of the registry by name or alias, or a cast; null, with the reason in `why`.
const OpDef* find_primitive(const std::string& name, std::string& why);

// The type that `op` casts to, where it is a cast.
std::optional<DType> cast_of(const OpDef& op);

// The reason why `op` cannot take so many arguments; empty where it can.
std::string wrong_count(const OpDef& op, std::size_t arguments);

// The reason why `op` has no such attribute; empty where it has.
std::string unknown_attribute(const OpDef& op, const std::string& name);

// One attribute's numbers, widened and checked. Usage error.
std::vector<double> completed(const OpDef& op, const std::string& attribute, const std::vector<double>& values);

}  // namespace fusecheck::graph
