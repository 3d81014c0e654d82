// The generated list of ops (CMakeLists.txt writes its definition from the files in kernels_ref/).
#pragma once

#include <vector>

#include "fusecheck/op.hpp"

namespace fusecheck {

std::vector<OpDef> op_manifest();

}  // namespace fusecheck
