// Which instruction set a run uses.
#pragma once

#include "engine/contraction.hpp"
#include "engine/kernels.hpp"

namespace fusecheck::engine {

// Usage error where this machine lacks it.
const KernelTable& kernels_for(Simd simd);

}  // namespace fusecheck::engine
