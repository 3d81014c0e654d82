#include "verify/moments_kernel.hpp"

namespace fusecheck::verify {

const MomentLoops& moment_loops_avx2() {
  static constexpr MomentLoops loops = loops_here();
  return loops;
}

}  // namespace fusecheck::verify
