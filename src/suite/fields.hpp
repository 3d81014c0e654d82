// The fields of a case by the names that a suite gives them: op, dtype, shape, bn, kernel ...
#pragma once

#include <string>
#include <vector>

#include "fusecheck/case_spec.hpp"

namespace fusecheck::suite {

// op, dtype, param_dtype, shape, bias, bn, direction, data, seed, dy, recipe, round, model, and every attribute of an
// op.
const std::vector<std::string>& field_names();

// Sets one field from text as the flag of the same name takes it. Usage error: a value that the field does not have.
void set_field(CaseSpec& spec, const std::string& name, const std::string& text);

// Whether `spec`, its attributes complete, has the value of that field that set_field gave `wanted`. Of shapes and
// types, those that `wanted` names; a list of equal numbers equals one number.
bool has_field(const CaseSpec& spec, const CaseSpec& wanted, const std::string& name);

}  // namespace fusecheck::suite
