// Whether a case fits into this machine.
#pragma once

#include "fusecheck/shape.hpp"

namespace fusecheck {

// `shapes`: of all tensors of the case, edges too. No-verdict error where the machine has not the memory to check it:
// better one line now than the kernel's killer later, and the case may fit elsewhere.
void require_memory(const Shapes& shapes);

}  // namespace fusecheck
