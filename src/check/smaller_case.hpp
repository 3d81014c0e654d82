// The same op on less data, for self-checks that concern its algebra alone.
#pragma once

#include <optional>

#include "fusecheck/case_spec.hpp"

namespace fusecheck {

// `spec` with every length of its shapes, and every attribute that has the value of such a length, cut to 16, 32 or 64,
// whichever is the first that the op takes; equal lengths stay equal. Nothing where no length exceeds that.
std::optional<CaseSpec> smaller_case(const CaseSpec& spec);

}  // namespace fusecheck
