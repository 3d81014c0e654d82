// docs/ops.md: every operator of the registry as Markdown, written from the op objects themselves.
#pragma once

#include <string>

#include "fusecheck/op.hpp"

namespace fusecheck {

// One op's section: formula, body, tensors, attributes, recipes with what each rounding point does, what its limit
// counts.
std::string op_section(const OpDef& op);

// The whole page, ops in the order of the registry.
std::string op_reference();

}  // namespace fusecheck
