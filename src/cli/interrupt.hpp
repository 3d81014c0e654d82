// What becomes of a kernel when the user ends fusecheck.
#pragma once

namespace fusecheck::cli {

// From now on SIGINT, SIGTERM and SIGHUP kill the kernels that run, with all that they started, and have their
// folders removed, before they end this process as they always do. A kernel has a process group of its own, which the
// terminal does not reach.
void kill_kernels_when_ended();

}  // namespace fusecheck::cli
