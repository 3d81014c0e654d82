// All ops. The folder kernels_ref/ is the list: one file, one op, one function named like the file.
#pragma once

#include <span>
#include <string_view>

#include "fusecheck/op.hpp"

namespace fusecheck {

std::span<const OpDef> all_ops();            // sorted by name
const OpDef& find_op(std::string_view name); // by name or alias; usage error with a suggestion otherwise

}  // namespace fusecheck
