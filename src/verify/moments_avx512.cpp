#include "verify/moments_kernel.hpp"

namespace fusecheck::verify {

const MomentLoops& moment_loops_avx512() {
  static constexpr MomentLoops loops = loops_here();
  return loops;
}

}  // namespace fusecheck::verify
