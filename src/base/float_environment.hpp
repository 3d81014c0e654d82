// The floating-point modes that every promise about bits rests on (NUMERICS.md N10).
#pragma once

namespace fusecheck {

// Internal error, naming the mode, unless this thread rounds to nearest and neither flushes nor ignores subnormals.
// One library that was linked with -ffast-math sets these for the whole process, so every worker thread asks on entry.
void require_default_float_environment();

}  // namespace fusecheck
