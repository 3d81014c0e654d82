// How the process keeps its memory.
#pragma once

namespace fusecheck::base {

// A check makes and drops hundreds of arrays of a few megabytes. glibc would give each back to the system and have the
// next one zeroed page by page: a third of the run time. So freed memory is kept. To be called once, at the start;
// where the C library knows no such setting, nothing happens.
void keep_freed_memory();

}  // namespace fusecheck::base
